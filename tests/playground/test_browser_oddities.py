"""Keys on sliders, fingers, files dropped anywhere, links that lie, and haste."""

import pytest

from maxmargin.playground._methods import METHODS
from maxmargin.playground._presets import PRESETS

from .conftest import Playground
from .test_browser import assert_proof_shown, own_fit
from .test_browser_hands import PHONE

IN_SIGHT = (
    "playground.state.now.points.every(p => playground.view.x(p[0]) >= 0 && playground.view.y(p[1]) >= 0 && "
    "playground.view.x(p[0]) <= playground.view.width && playground.view.y(p[1]) <= playground.view.height)"
)
PACK = """async said => {
  const stream = new Blob([said]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const text = btoa(String.fromCharCode(...bytes));
  return "#1z." + text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}"""


LIES = [
    '"t": "__proto__"',
    '"t": "toString", "l": 2.5',
    '"s": -5',
    '"s": 99999999999',
    '"s": 3, "m": {"classes": "condensed"}',
    '"n": {"axes": [{}, {}], "classes": "ab"}',
    '"n": {"axes": [1]}',
    '"n": {"axes": ["a", "b"], "classes": [[], {}]}',
    '"l": -1',
    '"v": [0, 0, "1"]',
    '"p": {"svc": null, "__proto__": {"C": 1}}',
    '"m": {"classes": 5, "nothing": []}',
]


@pytest.mark.parametrize("task", ["classes", "clusters", "curve"])
def test_every_example_is_drawn_and_fitted(playground, task):
    playground.page.click(f"[data-task={task}]")
    for name in [name for name, (_, tasks, _, _) in PRESETS.items() if task in tasks]:
        playground.draw(name)
        assert playground.page.is_hidden("#message") and playground.js(IN_SIGHT), name
        assert_proof_shown(playground, own_fit(playground))


@pytest.mark.parametrize("method", METHODS)
def test_arrow_keys_move_every_slider(playground, method):
    playground.choose(METHODS[method].task, method)
    for control in METHODS[method].controls:
        field = playground.page.locator(f"#p-{control.name}[type=range]")
        if field.count() == 0:
            continue
        for key, way in (("ArrowRight", 1), ("ArrowLeft", -1)):
            value = f"playground.value('{control.name}')"
            before = playground.js(value)
            field.focus()
            playground.page.keyboard.press(key)
            after = playground.js(value)
            at_the_end = before == (control.low if way < 0 else control.high)
            assert at_the_end or (after - before) * way > 0, control.name
            if control.whole and not at_the_end:
                assert after == before + way


def test_sliders_of_small_steps_do_not_stick(playground):
    playground.choose("curve", "svr")
    playground.set("epsilon", 1.5)
    playground.page.focus("#p-epsilon")
    playground.page.keyboard.press("ArrowRight")
    assert playground.js("playground.value('epsilon')") > 1.5


def test_undo_and_redo_by_mouse_bring_points_and_view_back(playground):
    page = playground.page
    before = playground.points, playground.js("playground.state.now.view")
    playground.draw("iris")
    after = playground.points, playground.js("playground.state.now.view")
    page.click("#undo")
    playground.rest()
    assert (playground.points, playground.js("playground.state.now.view")) == before
    page.click("#redo")
    playground.rest()
    assert (playground.points, playground.js("playground.state.now.view")) == after
    page.keyboard.press("+")
    near = playground.js("playground.state.now.view")
    playground.click(4.5, 0.3)
    page.click("#undo")
    playground.rest()
    assert playground.js("playground.state.now.view") == near  # what was looked at closely still is


def test_who_changes_their_mind_is_not_told_of_a_lost_connection(playground):
    page = playground.page
    page.evaluate(
        "() => { const list = document.querySelector('#preset'); for (const name of ['xor', 'spiral', 'blobs']) "
        "{ list.value = name; list.dispatchEvent(new Event('change')); } }"
    )
    page.wait_for_function("() => playground.state.now.points.length === 90")
    page.evaluate("() => { for (const k of [3, 7, 4]) playground.lessons.begin(k) }")
    page.wait_for_function("() => playground.state.now.lesson === 4")
    playground.rest()
    assert page.get_attribute("#toast", "class") == ""


def test_an_example_without_a_connection_is_said_to_be_none(playground):
    playground.page.evaluate(
        "() => { playground.connection.socket.close(); const list = document.querySelector('#preset'); "
        "list.value = 'xor'; list.dispatchEvent(new Event('change')) }"
    )
    assert playground.page.inner_text("#toast") == "The server is not connected just now."
    playground.page.wait_for_selector("#lost", state="hidden")
    playground.rest()


def test_an_animation_is_of_what_was_drawn_when_it_began(playground):
    page = playground.page
    playground.choose("classes", "adaboost")
    playground.set("n_estimators", 12)
    page.evaluate(
        "() => { const { connection } = playground; const ask = connection.ask; globalThis.frames = []; "
        "connection.ask = (kind, header, arrays) => { if (kind === 'frame') "
        "frames.push([header.step, arrays.points[1][0], header.method]); "
        "return ask.call(connection, kind, header, arrays) }; "
        "globalThis.film = playground.share.steps() }"
    )
    playground.click(0, 2.4)
    page.select_option("#method", "tree")
    playground.rest()
    with page.expect_download() as download:
        page.evaluate("film")
    assert download.value.suggested_filename == "maxmargin-steps.png"
    frames = page.evaluate("frames")
    assert [frame[1:] for frame in frames] == [[100, "adaboost"]] * 12 and frames[-1][0] is None
    assert playground.js("playground.answer.header.method") == "tree" and len(playground.points) == 101
    assert_proof_shown(playground, own_fit(playground))


def test_only_digits_that_agree_are_bold(playground):
    agreed = "async ([a, b]) => (await import('./proof.js')).agreed(a, b).map(([same]) => same)"
    for low, high, same in [
        (12.34, 12.37, "12.3"), (1.000000000123, 10.00000012, ""), (1, 12, ""), (1.23e8, 1.23e9, ""), (-1.5, 1.5, ""),
        (2, 2, "2"), (1.25e8, 1.26e8, "1.2"),
    ]:  # fmt: skip
        assert playground.js(agreed, [low, high]) == [same, same]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("#nothing", "not one of a playground of this version"),
        ("#1z.", "damaged or cut off"),
        ("#1z.@@@", "damaged or cut off"),
        ("#1z.AAAAAAAA", "damaged or cut off"),
        ("null", "points of this link cannot be read"),
        ('{"x": [[1, 2, 9]]}', "points of this link cannot be read"),
        ('{"x": [[1, 2, 0], [3, 4, "1"]]}', "points of this link cannot be read"),
        ('{"x": [], "y": "' + "a" * 1_000_000 + '"}', "holds too much"),
    ],
)
def test_links_that_cannot_be_opened_say_why_in_plain_words(playground, said, sentence):
    fragment = said if said.startswith("#") else playground.js(PACK, said)
    playground.js("fragment => { location.hash = fragment }", fragment)
    playground.page.wait_for_function(
        "words => document.querySelector('#toast').textContent.includes(words)", arg=sentence
    )
    assert len(playground.points) == 100


@pytest.mark.parametrize("said", LIES)
def test_links_that_lie_are_opened_with_what_is_true(browser, command, playground, said):
    link = playground.js(PACK, f'{{"x": [[-1, 0, 0], [1, 0, 1], [1, 1, 1]], {said}}}')
    other = Playground(browser, command.address + link)
    assert len(other.points) == 3 and other.page.is_hidden("#message")
    assert other.js("playground.state.now.task") == "classes" and other.js("playground.state.now.step") is None
    other.close()


def test_a_point_that_was_tapped_is_looked_at_until_another_is(browser, command):
    page = Playground(browser, command.address, **PHONE)
    x, y, _ = page.points[3]
    page.page.touchscreen.tap(*page.place(x, y))
    page.page.wait_for_function("() => document.querySelector('#point .moves')?.textContent.includes('Without it')")
    assert "Point 3" in page.page.inner_text("#point") and len(page.points) == 100
    page.close()


def test_two_fingers_move_the_picture(browser, command):
    page = Playground(browser, command.address, **PHONE)
    session = page.context.new_cdp_session(page.page)

    def touch(kind, *places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    cx, cy, half = page.js("playground.state.now.view")
    x, y = page.place(cx, cy)
    touch("touchStart", (x, y))
    touch("touchStart", (x, y), (x + 60, y))
    for k in range(1, 6):
        touch("touchMove", (x + 10 * k, y + 8 * k), (x + 60 + 10 * k, y + 8 * k))
    touch("touchEnd")
    page.rest()
    moved, scale = page.js("playground.state.now.view"), page.js("playground.view.scale")
    assert moved == pytest.approx([cx - 50 / scale, cy + 40 / scale, half], rel=0.02) and len(page.points) == 100
    page.close()


def test_a_point_is_looked_at_while_its_task_changes(playground):
    """What is shown of it is of an answer to the same method, or nothing."""
    playground.choose("curve", "svr")
    for task in ("clusters", "curve", "classes", "curve"):
        shown = playground.js(
            "task => { playground.state.change('task', { task, step: null }); playground.inspect(0); "
            "playground.inspect(1); return document.querySelector('#point').textContent }",
            task,
        )
        assert "Hover over a point" in shown
        playground.rest()


def test_a_file_is_dropped_anywhere_and_columns_that_cannot_be_chosen_are_named(playground):
    page = playground.page
    drop = """place => {
      const data = new DataTransfer();
      const rows = Array.from({ length: 9 }, (_, k) => `${k},${k * k},name ${k}`);
      data.items.add(new File([["a,b,who", ...rows].join("\\n")], "a.csv", { type: "text/csv" }));
      const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      document.querySelector(place).dispatchEvent(event);
      return event.defaultPrevented;
    }"""
    for place in ("#stage", "header", "#left", "#table-text"):
        assert playground.js(drop, place) is True
        page.wait_for_selector("#table-columns", state="visible")
        assert "Not to choose from: who." in page.inner_text("#table-message")
        page.keyboard.press("Escape")


def test_the_eraser_takes_what_it_touches(playground):
    page = playground.page
    page.click("[data-tool=erase]")
    x, y, _ = playground.points[0]
    playground.drag((x, y), (x + 1.5, y))
    assert len(playground.points) < 99 and [x, y] not in [p[:2] for p in playground.points]
    assert playground.js("playground.state.past.length") == 1
    assert_proof_shown(playground, own_fit(playground))


def test_a_page_that_is_not_answered_yet_says_that_it_loads(browser, command):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("window.WebSocket = class { constructor() { this.readyState = 0 } }")
    page.goto(command.address)
    page.wait_for_function("() => globalThis.playground")
    assert page.get_attribute("body", "class") == "loading"
    assert "Loading" in page.evaluate("getComputedStyle(document.querySelector('#stage'), '::before').content")
    context.close()
