"""Fingers, keys and the mouse where they are not expected; screens of all kinds."""

import pytest

from .conftest import Playground

PHONE = {"viewport": {"width": 380, "height": 760}, "has_touch": True, "is_mobile": True}


def test_fingers_drag_and_pinch(browser, command):
    page = Playground(browser, command.address, **PHONE)
    session = page.context.new_cdp_session(page.page)

    def touch(kind, *places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    x, y, label = page.points[0]
    start, end = page.place(x, y), page.place(x + 0.5, y + 1.0)
    touch("touchStart", start)
    for t in (0.3, 0.6, 1.0):
        touch("touchMove", [a + t * (b - a) for a, b in zip(start, end, strict=True)])
    touch("touchEnd")
    page.rest()
    assert len(page.points) == 100 and page.points[0] == pytest.approx([x + 0.5, y + 1.0, label], abs=0.05)
    half = page.js("playground.state.now.view[2]")
    middle = page.place(*page.js("playground.state.now.view.slice(0, 2)"))
    left, right = [middle[0] - 30, middle[1]], [middle[0] + 30, middle[1]]
    touch("touchStart", left)
    touch("touchStart", left, right)
    touch("touchMove", [left[0] - 40, left[1]], [right[0] + 40, right[1]])
    touch("touchEnd")
    page.rest()
    assert page.js("playground.state.now.view[2]") < half and len(page.points) == 100
    page.close()


def test_on_phones_classes_and_lesson_are_where_the_picture_is(browser, command):
    page = Playground(browser, command.address, **PHONE)
    place = "document.querySelector('{}').closest('section').id".format
    assert page.js(place("#classes")) == "middle" == page.js(place("#lesson"))
    lines = (
        "new Set([...document.querySelectorAll('#tools button')].map(b => Math.round(b.getBoundingClientRect().top)))"
    )
    assert page.js(f"{lines}.size") == 1
    wide = "[...document.querySelectorAll('#right .card')].map(c => Math.round(c.getBoundingClientRect().width))"
    assert len(set(page.js(wide))) == 1
    page.page.set_viewport_size({"width": 1280, "height": 800})
    page.page.wait_for_function("() => document.querySelector('#classes').closest('section').id === 'left'")
    assert page.js(place("#lesson")) == "right"
    page.close()


@pytest.mark.parametrize("size", [(1280, 700), (1280, 1000), (760, 900), (380, 760)])
def test_the_points_stay_in_the_picture_when_it_changes_its_shape(playground, size):
    playground.page.set_viewport_size({"width": size[0], "height": size[1]})
    playground.choose("classes", "knn")  # without a panel of steps
    playground.rest()
    outside = (
        "playground.state.now.points.filter(p => playground.view.x(p[0]) < 0 || playground.view.y(p[1]) < 0 || "
        "playground.view.x(p[0]) > playground.view.width || playground.view.y(p[1]) > playground.view.height)"
    )
    assert playground.js(outside) == []


def test_undo_works_with_the_focus_on_a_slider(playground):
    page = playground.page
    page.focus("#p-C")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    playground.rest()
    assert playground.js("playground.value('C')") > 1
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    playground.rest()
    assert playground.js("playground.value('C')") == 1
    page.keyboard.press("3")
    assert playground.js("playground.editor.label") == 2
    page.focus("#p-C-number")
    page.keyboard.press("Control+a")
    page.keyboard.type("5")
    assert playground.js("playground.editor.label") == 2  # a digit that is typed is none


@pytest.mark.parametrize("key", ["Control+z", "Delete"])
def test_a_point_that_goes_while_it_is_dragged_is_let_go(playground, key):
    page = playground.page
    page.mouse.move(*playground.place(0, 2.4))
    page.mouse.down()
    page.mouse.move(*playground.place(0.3, 2.4), steps=3)
    page.focus("#canvas")
    page.keyboard.press("p")  # the last one, which is dragged
    page.keyboard.press(key)
    before = playground.points
    page.mouse.move(*playground.place(0.9, 2.0), steps=3)
    page.mouse.up()
    playground.rest()
    assert len(before) == 100 and playground.points == before


def test_the_keyboard_erases_brushes_and_leads_the_picture(playground):
    page = playground.page
    page.focus("#canvas")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    playground.rest()
    assert len(playground.points) == 102
    page.keyboard.press("d")
    for _ in range(6):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.press("e")
    page.keyboard.press("Space")
    playground.rest()
    assert len(playground.points) == 102
    page.keyboard.press("d")
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    x = playground.js("playground.editor.cursor[0]")
    assert x < playground.js("playground.view.right") and playground.js("playground.state.now.view[0]") > 1
    page.keyboard.press("n")
    page.keyboard.press("Alt+ArrowUp")
    playground.rest()
    first = playground.points[0]
    box = "p => playground.view.x(p[0]) >= 0 && playground.view.x(p[0]) <= playground.view.width"
    assert playground.js(box, first)
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+ArrowUp")
    assert "n and p choose one" in page.inner_text("#toast")
    assert playground.points[0] == first


def test_digits_do_not_change_classes_that_are_not_shown(playground):
    playground.choose("clusters", "kmeans")
    playground.page.focus("#canvas")
    playground.page.keyboard.press("n")
    before = playground.points
    playground.page.keyboard.press("3")
    assert playground.points == before


def test_dialogs_close_beside_them_and_not_within(playground):
    page = playground.page
    page.click("#table-open")
    box = page.locator("#table").bounding_box()
    page.mouse.click(box["x"] + 8, box["y"] + 8)
    assert page.is_visible("#table")
    page.mouse.click(5, 5)
    page.wait_for_selector("#table", state="hidden")


def test_what_is_said_is_in_the_dialog_that_is_open(playground):
    page = playground.page
    playground.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share-open")
    page.click("#copy-link")
    page.wait_for_function("() => document.querySelector('#share #toast')?.textContent === 'Link copied'")
    page.keyboard.press("Escape")
    page.fill("#p-C-number", "none")
    page.press("#p-C-number", "Enter")
    assert page.is_visible("#stage #toast")


def test_six_classes_are_drawn_and_told_apart(playground):
    page = playground.page
    page.click("#clear")
    for k in range(6):
        page.keyboard.press(str(k + 1))
        for dx in (0, 0.4):
            playground.click(-2 + 0.8 * k + dx, -1.5 + 0.6 * k)
    playground.rest()
    assert sorted({p[2] for p in playground.points}) == list(range(6))
    assert playground.js("playground.answer.header.classes") == list(range(6))
    shapes = "new Set([...document.querySelectorAll('.swatch')].map(b => b.getAttribute('aria-label').split(', ')[1]))"
    assert playground.js(f"{shapes}.size") == 6
    playground.click(1.5, -2)
    playground.rest()
    assert page.inner_text("#class-name") == "Draws class 5."


def test_stepping_undone_shows_the_whole_fit(playground):
    page = playground.page
    page.click("#steps-open")
    page.wait_for_function("() => playground.steps.course")
    page.click("#step-first")
    playground.rest()
    playground.click(0, 2.4)
    playground.rest()
    page.keyboard.press("Control+z")
    playground.rest()
    assert playground.js("playground.state.now.step") is None and page.inner_text("#proof .chip") == "proven"


def test_chosen_buttons_and_the_bar_are_seen_with_forced_colours(browser, command):
    page = Playground(browser, command.address, forced_colors="active")
    look = (
        "e => { const s = getComputedStyle(document.querySelector(e)); return [s.backgroundColor, s.borderTopWidth] }"
    )
    assert page.js(look, "[data-task=classes]") != page.js(look, "[data-task=curve]")
    assert page.js(look, "[data-tool=draw]") != page.js(look, "[data-tool=brush]")
    assert page.js(look, ".bar")[1] == "1px"
    page.close()


def test_no_text_is_small_anywhere(playground):
    small = (
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('svg') && "
        "parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.outerHTML.slice(0, 80))"
    )
    assert playground.js(small) == []
