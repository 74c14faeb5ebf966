"""The widget in a browser, with a kernel that answers as a notebook's does."""

import base64

import numpy as np
import pytest

from maxmargin.playground import Widget
from maxmargin.svm import SVC

X = np.array([[-1.0, 0.0], [-2.0, 1.0], [-1.5, -1.0], [1.0, 0.5], [2.0, -1.0], [1.5, 1.0]])
Y = ["left"] * 3 + ["right"] * 3

RENDER = """async ([text, values]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const heard = {};
  const bytes = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
  const tell = (name, ...words) => (heard[name] ?? []).forEach((call) => call(...words));
  globalThis.model = {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; tell("change:" + name); },
    save_changes: () => globalThis.saved(values.drawn),
    on: (name, call) => (heard[name] ??= []).push(call),
    send: async (header, callbacks, buffers) => {
      const answer = await globalThis.asked(header, buffers.map(bytes));
      const data = Uint8Array.from(atob(answer), (c) => c.charCodeAt(0));
      tell("msg:custom", { kind: "fit" }, [new DataView(data.buffer)]);
    },
  };
  widget.render({ model: globalThis.model, el: document.body });
}"""


class Notebook:
    """A page with the widget, and the kernel that has it."""

    def __init__(self, browser, widget, **options):
        self.widget, self.errors, self.answers = widget, [], 0
        self.context = browser.new_context(viewport={"width": 800, "height": 700}, **options)
        self.page = self.context.new_page()
        self.page.on("console", lambda it: self.errors.append(it.text) if it.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.expose_function("saved", self.saved)
        self.page.expose_function("asked", self.asked)
        values = {name: getattr(widget, name) for name in widget.trait_names(sync=True) if not name.startswith("_")}
        kept = ("drawn", "view", "task", "classes", "most", "epsilon", "width", "height")
        self.page.evaluate(RENDER, [widget._esm, {name: values[name] for name in kept}])
        self.wait("≤ optimum ≤")

    def saved(self, drawn):
        self.widget.drawn = drawn

    def asked(self, header, buffers):
        sent = []
        self.widget.send = lambda about, data: sent.append(data[0])
        self.widget._asked(self.widget, header, [base64.b64decode(text) for text in buffers])
        self.answers += 1
        return base64.b64encode(sent[0]).decode()

    def wait(self, words):
        self.page.wait_for_function("words => document.querySelector('output').textContent.includes(words)", arg=words)

    def settle(self, points):
        """Wait until so many points are drawn and fitted."""
        self.page.wait_for_function("n => model.get('drawn').length === n", arg=points)
        for _ in range(100):
            model = self.widget.model
            if len(self.widget.drawn) == points and model is not None and model.n_features_in_ == 2:
                own = SVC(C=2.0, kernel="linear").fit(self.widget.X, self.widget.y)
                if own.certificate_.primal == model.certificate_.primal:
                    self.wait(f"{own.certificate_.dual:.8g} ≤ optimum ≤ {own.certificate_.primal:.8g}")
                    return
            self.page.wait_for_timeout(20)
        raise AssertionError("the model is not that of the points")


@pytest.fixture
def notebook(browser):
    found = Notebook(browser, Widget(X, Y, C=2.0, kernel="linear"))
    yield found
    found.context.close()
    assert found.errors == []


def test_points_are_drawn_by_mouse_and_come_back_as_arrays(notebook):
    page, widget = notebook.page, notebook.widget
    box = page.locator("canvas").first.bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    notebook.settle(7)
    assert widget.y[-1] == "left" and widget.X[-1, 0] < X[:, 0].min() and widget.X[-1, 1] > X[:, 1].max()
    page.click("[aria-label^='Draw class 1']")
    page.mouse.click(box["x"] + box["width"] - 20, box["y"] + 20)
    notebook.settle(8)
    assert widget.y[-1] == "right"
    page.mouse.click(box["x"] + 20, box["y"] + 20, button="right")
    notebook.settle(7)
    page.click("[aria-label=Undo]")
    notebook.settle(8)


def test_points_are_drawn_by_keyboard_and_the_notebook_does_not_get_the_keys(notebook):
    page, widget = notebook.page, notebook.widget
    page.evaluate("() => { globalThis.keys = []; document.addEventListener('keydown', e => keys.push(e.key)) }")
    page.locator("canvas").first.focus()
    for key in ("2", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    notebook.settle(7)
    assert widget.y[-1] == "right"
    for key in ("n", "Delete"):
        page.keyboard.press(key)
    notebook.settle(6)
    page.keyboard.press("Control+z")
    notebook.settle(7)
    assert page.evaluate("keys") == []
    assert page.get_attribute("canvas", "data-lm-suppress-shortcuts") == "true"


def test_what_the_kernel_draws_is_shown(notebook):
    notebook.widget.drawn = [*notebook.widget.drawn, [0.0, 2.0, 1]]
    notebook.page.evaluate("points => model.set('drawn', points)", notebook.widget.drawn)
    notebook.settle(7)


def test_what_cannot_be_fitted_is_said_and_the_next_points_are_fitted(notebook):
    notebook.page.evaluate("() => model.set('drawn', model.get('drawn').slice(0, 3))")
    notebook.wait("All points are of one class")
    box = notebook.page.locator("canvas").first.bounding_box()
    notebook.page.click("[aria-label^='Draw class 1']")
    notebook.page.mouse.click(box["x"] + box["width"] - 20, box["y"] + 20)
    notebook.settle(4)


def test_a_narrow_cell_has_the_whole_picture(notebook):
    notebook.page.set_viewport_size({"width": 380, "height": 700})
    notebook.page.wait_for_function("() => document.querySelector('canvas').getBoundingClientRect().width < 380")
    assert notebook.page.evaluate("document.documentElement.scrollWidth") <= 380
    notebook.page.wait_for_function(
        "() => { const c = document.querySelector('canvas'), box = c.getBoundingClientRect(); "
        "return Math.abs(c.width / box.width - c.height / box.height) < 0.01 }"
    )
