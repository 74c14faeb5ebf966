"""The playground in a browser: from an event to its picture, and from the command to a page that answers.

``drag``: a point is dragged among 200 and 2000 points of an RBF machine; each move is timed from the event to the
picture of its model, in the browser. ``start``: from the command to a page that points can be drawn on, and to
its first model, where nothing has to be compiled. Needs Debian's chromium, or another one that is installed.
"""

from __future__ import annotations

import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import table
from .options import Options
from .parts import run_parts

MINUTES = 2.0
PARTS = ("drag", "start")
_SIZES = {200: 50.0, 2000: 200.0}  # points, and the milliseconds that a move may take
_START = 1000.0
_MOVES, _QUICK_MOVES, _STARTS = 60, 15, 5
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

_DRAW = """n => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const points = Array.from({length: n}, (_, k) => {
    const angle = Math.PI * random(), label = k % 2;
    const x = label ? 1 - Math.cos(angle) : Math.cos(angle), y = label ? 0.5 - Math.sin(angle) : Math.sin(angle);
    return [1.5 * (x - 0.5 + 0.3 * (random() - 0.5)), 1.5 * (y - 0.25 + 0.3 * (random() - 0.5)), label];
  });
  playground.state.change("benchmark", {points});
}"""

_MOVE = """async k => {
  const canvas = playground.canvas, box = canvas.getBoundingClientRect();
  const send = (name, x, y) => canvas.dispatchEvent(new PointerEvent(name, {
    pointerId: 1, clientX: box.left + x, clientY: box.top + y, bubbles: true, button: 0, isPrimary: true}));
  const at = p => [playground.view.x(p[0]), playground.view.y(p[1])];
  canvas.setPointerCapture = () => {};
  const times = [];
  send("pointerdown", ...at(playground.state.now.points[0]));
  const [x, y] = at(playground.state.now.points[0]);
  for (let i = 0; i < k; i++) {
    const begin = performance.now();
    send("pointermove", x + 40 * Math.sin(i / 5), y + 40 * Math.cos(i / 5));
    const points = playground.state.now.points;
    while (playground.asked?.points !== points) await new Promise(done => setTimeout(done, 0));
    times.push(playground.drawn - begin);
    await new Promise(done => setTimeout(done, 30));
  }
  send("pointerup", x, y);
  return times.slice(5);
}"""


def run(options: Options) -> dict[str, Any]:
    """Print the tables, return the raw numbers."""
    return run_parts(options, {"drag": _drag, "start": _start})


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise FileNotFoundError("this benchmark needs chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_FLAGS)
        yield browser
        browser.close()


@contextmanager
def _command() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "maxmargin", "playground", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http\S+", process.stdout.readline())
        assert found is not None
        yield found.group()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def _drag(options: Options) -> tuple[str, Any]:
    record: dict[str, Any] = {}
    rows = []
    with _browser() as browser, _command() as address:
        page = browser.new_page(viewport={"width": 1280, "height": 820})
        page.goto(address)
        page.wait_for_function("() => globalThis.playground?.answer")
        for points, most in _SIZES.items():
            page.evaluate(_DRAW, points)
            page.wait_for_function(f"() => playground.answer?.count === {points}")
            page.wait_for_timeout(2000)  # the finer picture and the cases
            times = page.evaluate(_MOVE, _QUICK_MOVES if options.quick else _MOVES)
            record[str(points)] = times
            middle, slow = statistics.median(times), sorted(times)[int(0.95 * len(times))]
            rows.append(
                (f"{points}", f"{middle:.0f}", f"{slow:.0f}", f"{most:.0f}", "ok" if middle <= most else "missed")
            )
    heads = ("points", "median ms", "95 % ms", "required", "")
    return f"Dragging a point, RBF SVC: event to picture\n{table.render(heads, rows, left=('',))}\n", record


def _start(options: Options) -> tuple[str, Any]:
    listening, drawn, answered = [], [], []
    with _browser() as browser:
        for _ in range(2 if options.quick else _STARTS):
            page = browser.new_page()
            begin = time.perf_counter()
            with _command() as address:
                listening.append(1e3 * (time.perf_counter() - begin))
                page.goto(address)
                page.wait_for_function("() => globalThis.playground?.state.now.points.length")
                drawn.append(1e3 * (time.perf_counter() - begin))
                page.wait_for_function("() => globalThis.playground?.answer")
                answered.append(1e3 * (time.perf_counter() - begin))
            page.close()
    middle = statistics.median(drawn)
    rows = [
        (
            f"{statistics.median(listening):.0f}",
            f"{middle:.0f}",
            f"{_START:.0f}",
            "ok" if middle <= _START else "missed",
            f"{statistics.median(answered):.0f}",
        )
    ]
    heads = ("address ms", "points drawn ms", "required", "", "first model ms")
    text = f"From the command to a page that answers\n{table.render(heads, rows, left=('',))}\n"
    return text, {"listening": listening, "drawn": drawn, "answered": answered}
