"""A browser, and the page of a server in it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
REQUIRED = "MAXMARGIN_BROWSER"  # set to "required", a missing browser fails the tests instead of skipping them


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium, or another one that is installed."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        if os.environ.get(REQUIRED) == "required":
            pytest.fail("no chromium is installed, and MAXMARGIN_BROWSER=required asks for one")
        pytest.skip("no chromium is installed: the page is not tested in a browser")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield chromium
        chromium.close()


class Command:
    """``maxmargin playground`` as a process, and the address that it prints."""

    def __init__(self, *words, **options):
        command = [sys.executable, "-m", "maxmargin", "playground", "--no-browser", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.address = re.search(r"http\S+", self.process.stdout.readline()).group()
        self.port = int(self.address.split(":")[2].split("/")[0])

    def end(self):
        """Ctrl-C; the exit code and what was said on standard error."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=20)
        return self.process.returncode, said


@pytest.fixture(scope="session")
def command():
    """One server for all pages."""
    found = Command()
    yield found
    assert found.end() == (0, "")


class Playground:
    """The page, as its user sees it."""

    def __init__(self, browser, address, **options):
        self.errors = []
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 820}, **options})
        self.page = self.context.new_page()
        self.page.on("console", lambda it: self.errors.append(it.text) if it.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.rest()

    def js(self, code, argument=None):
        return self.page.evaluate(code, argument)

    def rest(self):
        """Wait until nothing is under way."""
        self.page.wait_for_function(
            "() => { const p = globalThis.playground; return p?.specification && (p.answer || p.failure) && "
            "p.connection.ready && !p.connection.flight && !p.connection.next && !p.frame && "
            "p.state.now.points === p.last.points && p.state.params === p.last.params && "
            "p.state.method === p.last.method && p.state.now.step === p.last.step }"
        )

    def draw(self, name):
        self.js("() => { globalThis.before = playground.state.now.source }")
        self.page.select_option("#preset", name)
        self.page.wait_for_function("() => playground.state.now.source !== before")
        self.rest()

    def choose(self, task, method):
        if self.js("playground.state.now.task") != task:
            self.page.click(f"[data-task={task}]")
        self.page.select_option("#method", method)
        self.rest()

    def set(self, name, value):
        field = self.page.locator(f"#p-{name}-number")
        if field.count():
            field.fill(str(value))
            field.press("Enter")
        else:
            self.page.select_option(f"#p-{name}", value)
        self.rest()

    @property
    def points(self):
        return self.js("playground.state.now.points")

    def place(self, x, y):
        """A place of the data on the screen."""
        return self.js(
            "([x, y]) => { const box = playground.canvas.getBoundingClientRect(); "
            "return [box.left + playground.view.x(x), box.top + playground.view.y(y)] }",
            [x, y],
        )

    def click(self, x, y, **options):
        self.page.mouse.click(*self.place(x, y), **options)

    def drag(self, start, end):
        self.page.mouse.move(*self.place(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.place(*end), steps=6)
        self.page.mouse.up()
        self.rest()

    def figure(self, name, within="#proof"):
        """A figure as it is shown, as a number."""
        text = self.page.locator(f"{within} [data-figure='{name}']").first.inner_text()
        return float(text.split()[0].replace("−", "-").replace("∞", "inf"))

    def close(self):
        self.context.close()
        assert self.errors == []


@pytest.fixture
def playground(browser, command):
    """A fresh page; it has no error on its console."""
    found = Playground(browser, command.address)
    yield found
    found.close()
