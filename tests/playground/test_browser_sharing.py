"""Links, programs, tables and pictures, in a browser."""

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
    page.wait_for_function("() => document.querySelector('#table-use').textContent.includes('3 points')")
    page.fill("#table-text", "a,b\nx,y\n")
    page.click("#table-read")
    page.wait_for_function("() => document.querySelector('#table-message').textContent.includes('numbers')")
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
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert svg.count("<path") > 100 and "<script" not in svg and "NaN" not in svg
