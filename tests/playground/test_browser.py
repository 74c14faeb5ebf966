"""The page in a browser: drawn on, dragged in, stepped through, shared, disconnected."""

import contextlib
import io
import json
import warnings

import numpy as np
import pytest

from maxmargin.certificates import ModelCertificate
from maxmargin.playground._methods import CLUSTERS, CURVE, METHODS

from .conftest import Command, Playground

DIGITS = {"dual": 10, "primal": 10}
EXAMPLE = {"classes": "moons", "clusters": "blobs", "curve": "sine"}


def data_of(playground):
    points = np.array(playground.points, dtype=np.float64)
    return points[:, :2], points[:, 2].astype(np.uint8)


def own_fit(playground, step=None):
    """The library's fit of what is on the page."""
    method = METHODS[playground.js("playground.state.method")]
    said = playground.js("playground.state.params")
    X, y = data_of(playground)
    model = method.make(method.keywords(method.values(said), step))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method.task == CLUSTERS:
            return model.fit(X)
        return model.fit(X[:, :1].copy(), X[:, 1].copy()) if method.task == CURVE else model.fit(X, y)


def assert_shown(shown, value, digits=6):
    """A figure on the page is the library's to the digits that are shown."""
    assert shown == pytest.approx(
        value, rel=0.51 * 10.0 ** (1 - (digits if abs(value) >= 1e-4 else digits - 2)), abs=0.0
    )


def assert_proof_shown(playground, model):
    proof = model.certificate_
    if isinstance(proof, ModelCertificate):
        for key, value in {
            "dual": proof.dual, "primal": proof.primal, "gap": proof.gap, "relative gap": proof.relative_gap,
            "KKT violation": proof.worst.kkt_violation, "steps of the solver": proof.worst.iterations,
        }.items():  # fmt: skip
            assert_shown(playground.figure(key), value, DIGITS.get(key, 6))
        return
    assert playground.page.inner_text("#proof .statement").lower() == proof.statement.lower()
    for key, value in proof.figures.items():
        if np.isfinite(value):
            assert_shown(playground.figure(key), value)


def assert_program_gives(playground):
    """The program that is copied gives the certificate that is shown."""
    text = playground.js("playground.connection.ask('python', ...playground.question()).then(it => it.header.text)")
    space = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(text, space)
    assert_proof_shown(playground, space["model"])


def test_points_are_drawn_by_mouse(playground):
    page = playground.page
    page.click("#clear")
    playground.rest()
    assert "no points yet" in page.inner_text("#message")
    for x, y in [(-1, 0), (-1.5, 0.5)]:
        playground.click(x, y)
    playground.rest()
    assert "one class" in page.inner_text("#message")
    page.keyboard.press("2")
    playground.click(1, 0)
    playground.rest()
    assert page.is_hidden("#message")
    assert [p[2] for p in playground.points] == [0, 0, 1]
    assert playground.points[2][:2] == pytest.approx([1, 0], abs=0.02)
    assert_proof_shown(playground, own_fit(playground))
    playground.click(1, 0, button="right")
    playground.rest()
    assert len(playground.points) == 2
    page.click("[data-tool=brush]")
    playground.drag((0, -1), (1.5, -1))
    assert len(playground.points) > 6 and {p[2] for p in playground.points} == {0, 1}
    drawn = len(playground.points)
    page.click("[data-tool=erase]")
    playground.drag((0, -1), (1.5, -1))
    assert len(playground.points) < drawn


def test_points_are_drawn_by_keyboard(playground):
    page = playground.page
    page.click("#clear")
    page.focus("#canvas")
    for keys in ("Enter", "ArrowRight", "ArrowRight", "ArrowRight", "2", "Enter", "ArrowUp", "Shift+ArrowUp", "3", " "):
        page.keyboard.press(keys)
    playground.rest()
    points = playground.points
    assert [p[2] for p in points] == [0, 1, 2]
    assert points[1][0] > points[0][0] and points[2][1] > points[1][1]
    page.keyboard.press("n")
    page.keyboard.press("Alt+ArrowLeft")
    playground.rest()
    assert playground.points[0][0] < points[0][0]
    page.keyboard.press("4")
    assert playground.points[0][2] == 3
    page.keyboard.press("Delete")
    playground.rest()
    assert len(playground.points) == 2
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    playground.rest()
    assert playground.points[0][2] == 0


def test_a_point_is_dragged_and_the_model_follows(playground):
    before = playground.figure("primal")
    x, y, label = playground.points[0]
    playground.drag((x, y), (x + 0.8, y - 0.9))
    moved = playground.points[0]
    assert moved[:2] == pytest.approx([x + 0.8, y - 0.9], abs=0.02) and moved[2] == label
    assert playground.figure("primal") != before
    assert_proof_shown(playground, own_fit(playground))
    assert playground.js("playground.state.past.length") == 1  # one drag, one to undo
    playground.page.keyboard.press("Control+z")
    playground.rest()
    assert playground.points[0] == [x, y, label] and playground.figure("primal") == before
    playground.page.keyboard.press("Control+y")
    playground.rest()
    assert playground.points[0] == moved


@pytest.mark.parametrize("task", list(EXAMPLE))
def test_every_method_shows_the_figures_of_the_library(playground, task):
    playground.page.click(f"[data-task={task}]")
    playground.draw(EXAMPLE[task])
    for name in [name for name, method in METHODS.items() if method.task == task]:
        playground.choose(task, name)
        assert playground.page.is_hidden("#message"), name
        assert_proof_shown(playground, own_fit(playground))
        assert_program_gives(playground)


def test_a_point_shows_its_multiplier_margin_slack_and_case(playground):
    playground.set("C", 0.7)
    playground.page.wait_for_function("() => playground.cases")
    X, y = data_of(playground)
    model = own_fit(playground)
    cases = model.kkt_cases(X, y)
    picked = [int(np.flatnonzero(cases.case == kind)[0]) for kind in np.unique(cases.case)]
    assert len(picked) >= 3
    for k in picked:
        playground.page.mouse.move(*playground.place(*X[k]))
        playground.page.wait_for_function(f"() => playground.card.point === {k} && playground.card.found")
        moves = playground.js("playground.card.found.header.moves")
        assert playground.js("playground.ghost !== null") is (moves >= 1e-3)  # a line is drawn where it can be seen
        for name, values in {
            "multiplier α": cases.multiplier,
            "slack ξ": cases.slack,
            "margin z": cases.margin,
        }.items():
            shown = playground.figure(name, "#point")
            assert shown == 0 if values[k] == 0 else shown == pytest.approx(values[k], rel=1e-5)
        assert playground.page.inner_text("#point [data-figure='case']") == cases.names()[k]
        value = playground.js(f"playground.shown(playground.answer.arrays.f[{k}])")
        assert value.strip("-−") in playground.page.inner_text("#point .formula")
        assert "Without it" in playground.page.inner_text("#point .moves")


def test_steps_go_forward_and_back(playground):
    page = playground.page
    page.click("#steps-open")
    page.wait_for_function("() => playground.steps.course")
    last = playground.js("playground.steps.course.last")
    for key, expected in (("step-first", 0), ("step-on", 1), ("step-on", 2), ("step-back", 1)):
        page.click(f"#{key}")
        playground.rest()
        assert playground.js("playground.steps.place") == expected
        step = playground.js("playground.state.now.step")
        model = own_fit(playground, step)
        assert_proof_shown(playground, model)
        assert model.certificate_.iterations == step
        assert page.inner_text("#proof .chip") == "still open"
    page.keyboard.press("]")
    playground.rest()
    assert playground.js("playground.steps.place") == 2
    page.click("#step-last")
    playground.rest()
    assert page.inner_text("#step-name") == f"step {last} of {last}" and page.inner_text("#proof .chip") == "proven"
    page.click("#step-first")
    page.click("#step-play")
    page.wait_for_function("() => playground.steps.place > 3")
    page.click("#step-play")
    page.focus("#scrub")
    page.keyboard.press("End")
    playground.rest()
    assert playground.js("playground.state.now.step") is None


@pytest.mark.parametrize("method", [name for name, it in METHODS.items() if it.steps])
def test_every_course_is_that_of_the_library(playground, method):
    task = METHODS[method].task
    playground.page.click(f"[data-task={task}]")
    playground.draw({"classes": "two", "clusters": "blobs", "curve": "line"}[task])
    playground.choose(task, method)
    if method == "forest":
        playground.set("n_estimators", 6)
    playground.page.click("#steps-open")
    playground.page.wait_for_function(
        "() => playground.steps.course || document.querySelector('#steps-message').textContent"
    )
    assert playground.page.inner_text("#steps-message") == ""
    playground.page.click("#step-first")
    playground.rest()
    step = playground.js("playground.state.now.step")
    assert_proof_shown(playground, own_fit(playground, step))


def test_the_connection_is_cut_and_comes_back(browser):
    own = Command()
    page = Playground(browser, own.address)
    page.js("playground.connection.socket.close()")
    page.page.wait_for_selector("#lost", state="visible")
    page.click(0, 2.8)
    page.page.wait_for_selector("#lost", state="hidden")
    page.rest()
    assert len(page.points) == 101 and page.js("playground.answer.count") == 101
    assert own.end() == (0, "")
    page.page.wait_for_selector("#lost", state="visible")
    page.errors.clear()  # that nobody answers any more is on the console
    page.context.close()


def test_what_is_impossible_is_shown_with_its_reason(playground):
    playground.draw("xor")
    playground.set("kernel", "linear")
    playground.set("C", "∞")
    message = playground.page.inner_text("#message")
    assert "Impossible" in message and "not separable" in message
    playground.set("kernel", "rbf")
    assert playground.page.is_hidden("#message") and playground.page.inner_text("#proof .chip") == "proven"


def test_wrong_numbers_are_refused_with_what_would_do(playground):
    field = playground.page.locator("#p-C-number")
    for text in ("-1", "many", "", "1e9"):
        field.fill(text)
        field.press("Enter")
        assert "from 0.001 to 100000 or ∞" in playground.page.inner_text("#toast")
        assert field.input_value() == "1"


def test_too_many_points_for_a_method_are_said_to_be(playground):
    playground.js(
        "() => { const points = Array.from({length: 700}, (_, k) => [Math.cos(k), Math.sin(k * k), k % 2]); "
        "playground.state.change('many', {points}) }"
    )
    playground.choose("clusters", "ncut")
    assert "up to 600" in playground.page.inner_text("#message")


def test_phones_have_room_and_fingers_draw(browser, command):
    page = Playground(
        browser,
        command.address,
        viewport={"width": 380, "height": 760},
        has_touch=True,
        is_mobile=True,
        color_scheme="dark",
    )
    assert page.js("document.documentElement.scrollWidth") <= 380
    before = len(page.points)
    page.page.touchscreen.tap(*page.place(0, 2.6))
    page.rest()
    assert len(page.points) == before + 1
    small = page.js(
        "[...document.querySelectorAll('body *')].filter(e => e.offsetParent && e.textContent.trim() && "
        "parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.outerHTML.slice(0, 80))"
    )
    assert small == []
    page.close()


def test_dark_and_light_can_be_chosen(playground):
    paper = "getComputedStyle(document.body).backgroundColor"
    light = playground.js(paper)
    playground.page.click("#theme")
    assert playground.js(paper) != light and playground.js("playground.palette.paper") == "#12161c"


def test_all_controls_have_names_for_screen_readers(playground):
    nameless = playground.js(
        "[...document.querySelectorAll('button, input, select, textarea, canvas[tabindex]')].filter(e => "
        "!(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []


def test_nothing_outside_is_asked_for(browser, command):
    asked = []
    context = browser.new_context()
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(command.address)
    page.wait_for_function("() => globalThis.playground?.answer")
    assert asked and all(url.startswith(command.address.split("#")[0]) for url in asked)
    context.close()


def test_json_of_the_state_is_small(playground):
    """A link of a hundred points can be sent."""
    playground.page.wait_for_timeout(400)
    assert len(playground.page.url) < 3000 and json.dumps(playground.points)
