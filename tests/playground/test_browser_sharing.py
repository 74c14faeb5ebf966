"""Links, programs, tables and pictures, in a browser."""

import re

import pytest

from .conftest import Command, Playground


def test_a_link_gives_the_same_in_another_browser(playground, browser, command):
    playground.draw("iris")
    playground.set("C", 3.5)
    playground.set("kernel", "poly")
    playground.page.wait_for_function("() => playground.written === location.hash")
    playground.page.wait_for_timeout(400)
    link = playground.page.url
    other = Playground(browser, link)
    assert other.points == playground.points
    assert other.js("playground.state.params") == playground.js("playground.state.params")
    for name in ("primal", "dual", "gap"):
        assert other.figure(name) == playground.figure(name)
    other.close()


def test_a_link_of_another_computer_is_opened_by_the_command(playground, browser):
    playground.draw("xor")
    playground.page.wait_for_timeout(400)
    link = playground.page.url
    own = Command(link)
    other = Playground(browser, own.address)
    assert other.points == playground.points and other.figure("primal") == playground.figure("primal")
    other.close()
    assert own.end() == (0, "")


def test_what_a_link_has_wrong_is_not_taken(playground, browser, command):
    """Parameters that the page does not have, values that cannot be, a method of another version."""
    link = playground.js(
        """async () => {
          const { toFragment } = await import("./state.js");
          const params = { svc: { C: -3, kernel: "magic", gamma: 2, shape: 1 }, tree: "deep", __proto__: { x: 1 } };
          const methods = { classes: "oracle", clusters: "ncut", curve: "svr" };
          const view = [1e300, 0, 1e-300];
          return toFragment({ ...playground.state.now, params, methods, view, lesson: 999, step: null });
        }"""
    )
    other = Playground(browser, command.address + link)
    assert other.js("playground.state.now.params") == {"svc": {"gamma": 2}}
    assert other.js("playground.state.now.methods") == {"classes": "svc", "clusters": "ncut", "curve": "svr"}
    assert other.page.is_hidden("#message") and other.page.is_hidden("#lesson")
    other.close()


def test_a_link_opens_and_closes_its_lesson(playground):
    page = playground.page
    page.wait_for_function("() => playground.written === location.hash")
    without = playground.js("location.hash")
    page.click("#lessons-open")
    page.click("#lesson-items li:nth-child(2) button")
    page.wait_for_selector("#lesson", state="visible")
    playground.rest()
    page.wait_for_function("hash => playground.written === location.hash && location.hash !== hash", arg=without)
    page.wait_for_timeout(400)
    with_lesson = playground.js("location.hash")
    playground.js("hash => { location.hash = hash }", without)
    page.wait_for_selector("#lesson", state="hidden")
    playground.js("hash => { location.hash = hash }", with_lesson)
    page.wait_for_selector("#lesson", state="visible")
    assert page.inner_text("#lesson h2") == "Slack and C"
    playground.rest()


@pytest.mark.parametrize("size", ["1e9", "1e-9"])
def test_tables_of_huge_and_tiny_numbers_are_drawn_and_looked_at(playground, size):
    page = playground.page
    factor = float(size)
    rows = [f"{factor * (k % 5 - 2) / 2!r},{factor * (k // 5 - 2) / 2!r},{'ab'[k % 2]}" for k in range(25)]
    page.click("#table-open")
    page.fill("#table-text", "\n".join(["x,y,kind", *rows]))
    page.click("#table-read")
    page.wait_for_selector("#table-use", state="visible")
    page.click("#table-use")
    playground.rest()
    assert page.is_hidden("#message") and playground.points[0][:2] == [-factor, -factor]
    half = playground.js("playground.state.now.view[2]")
    for key in ("-", "+", "+"):  # a step nearer or farther, and no leap
        before = playground.js("playground.state.now.view[2]")
        page.keyboard.press(key)
        playground.rest()
        assert 0.7 < playground.js("playground.state.now.view[2]") / before < 1.5
    assert half == pytest.approx(1.16 * factor, rel=0.01)
    playground.click(0.2 * factor, 0.1 * factor)
    playground.rest()
    assert playground.points[-1][0] == pytest.approx(0.2 * factor, rel=0.05) and page.is_hidden("#message")


def test_rows_with_missing_values_are_left_out_and_said_to_be(playground):
    page = playground.page
    page.click("#table-open")
    page.fill("#table-text", "a;b;kind\n1,5;2;x\n;3;y\n2;NaN;x\n4;5;y\n")
    page.click("#table-read")
    page.wait_for_selector("#table-use", state="visible")
    assert page.input_value("#table-class") == "2"
    page.click("#table-use")
    playground.rest()
    assert playground.points == [[1.5, 2, 0], [4, 5, 1]]
    assert "2 points drawn, classes by kind. 2 rows have a missing value" in page.inner_text("#toast")


def test_text_that_is_longer_in_bytes_than_in_letters_is_refused(playground):
    playground.js("() => playground.table.show()")
    playground.js("() => playground.table.read('a,b\\n' + 'ü,é\\n'.repeat(240000))")
    playground.page.wait_for_function("() => document.querySelector('#table-message').textContent.includes('up to')")
    assert playground.js("playground.connection.ready")


@pytest.mark.parametrize("fragment", ["#nothing", "#1z.AAAA", "#1z.", "#1z.q1YqU7IyrAUA"])
def test_a_broken_link_is_said_to_be_one(browser, command, fragment):
    page = Playground(browser, command.address + fragment)
    assert len(page.points) == 100
    page.page.wait_for_selector("#toast.bad", state="attached")  # it is hidden again after some seconds
    page.close()


def test_copied_python_gives_the_same_certificate(playground):
    page = playground.page
    playground.context.grant_permissions(["clipboard-read", "clipboard-write"])
    playground.set("gamma", 0.8)
    page.click("#share-open")
    page.click("#copy-python")
    page.wait_for_function("() => !document.querySelector('#python').hidden")
    text = page.inner_text("#python")
    assert page.evaluate("navigator.clipboard.readText()").strip() == text.strip()
    space = {}
    exec(text, space)
    proof = space["model"].certificate_
    header = playground.js("playground.answer.header.certificate")
    assert (proof.primal, proof.dual, proof.gap) == (header["primal"], header["dual"], header["gap"])
    page.click("#copy-link")
    page.wait_for_timeout(100)
    assert page.evaluate("navigator.clipboard.readText()").startswith(page.url.split("#")[0] + "#1z.")


def test_a_table_is_pasted_chosen_and_dropped(playground, tmp_path):
    page = playground.page
    rows = [f"{k / 4},{(k * k % 7) / 2},{'left' if k < 6 else 'right'}" for k in range(12)]
    text = "\n".join(["width,length,kind", *rows])
    page.click("#table-open")
    page.fill("#table-text", text)
    page.click("#table-read")
    page.wait_for_selector("#table-columns", state="visible")
    page.click("#table-use")
    playground.rest()
    assert len(playground.points) == 12 and playground.points[7] == [1.75, 0.0, 1]
    assert playground.js("playground.state.now.names") == {"axes": ["width", "length"], "classes": ["left", "right"]}
    (tmp_path / "table.csv").write_text("1;2\n3;4\n5;7\n", encoding="utf-8")
    page.click("#table-open")
    page.set_input_files("#table-file", tmp_path / "table.csv")
    page.wait_for_function("() => playground.table.found.rows === 3")
    page.fill("#table-text", "a,b\nx,y\n")
    page.click("#table-read")
    page.wait_for_function("() => document.querySelector('#table-message').textContent.includes('no column')")
    page.keyboard.press("Escape")
    page.evaluate(
        "text => { const data = new DataTransfer(); data.setData('text/plain', text); "
        "document.querySelector('#canvas').dispatchEvent("
        "new ClipboardEvent('paste', {clipboardData: data, bubbles: true})) }",
        text,
    )
    page.wait_for_selector("#table-columns", state="visible")


def test_pictures_and_the_animation_are_saved(playground, tmp_path):
    page = playground.page
    page.click("#share-open")
    for button, name, begin in (
        ("#save-png", "a.png", b"\x89PNG"), ("#save-svg", "a.svg", b"<svg"), ("#save-steps", "steps.png", b"\x89PNG"),
    ):  # fmt: skip
        if button == "#save-steps":
            page.keyboard.press("Escape")
            playground.choose("classes", "adaboost")
            playground.set("n_estimators", 5)
            page.click("#share-open")
        with page.expect_download() as download:
            page.click(button)
        download.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begin)
    from PIL import Image

    with Image.open(tmp_path / "steps.png") as picture:
        assert picture.n_frames == 5
        for k in range(5):
            picture.seek(k)
            picture.load()
    svg = re.sub('href="data:[^"]+"', "", (tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert svg.count("<path") > 100 and "<script" not in svg and "NaN" not in svg
