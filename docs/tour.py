"""Run the commands of ``docs/tour.rst`` and write what they print back into the page: ``python docs/tour.py``.

The page holds the words and the commands; everything between a command and the next one, or the end of its block, is
output. A test runs the commands too and compares (`differences`), so that the page cannot fall behind.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import tempfile
from pathlib import Path

from maxmargin.cli import main
from maxmargin.demo import table_path

PAGE = Path(__file__).with_name("tour.rst")
BLOCK = re.compile(r"^\.\. code-block:: console\n\n((?:   .*\n|\n)+)", re.MULTILINE)
PROMPT = "$ "
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:,\d{3})+|(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
# What differs from run to run or machine to machine: times, the version, fingerprints, when it was.
SECONDS = re.compile(r"\s+[\d.e+]+(?=\s+\d+ (?:candidates|settings) on )")  # in the table of families
VARIES = re.compile(r"second|created|version|fingerprint|iterations|violation|gap|of the best", re.IGNORECASE)


def output_of(line, last_code):
    """What a command line prints, and its exit code. Of the shell it knows ``| head -n``, ``>`` not at all."""
    if line == "echo $?":
        return f"{last_code}\n", 0
    line, _, head = line.partition(" | head -n ")
    words = shlex.split(line)
    if words[0] != "maxmargin":
        raise ValueError(f"the tour runs maxmargin alone; got {line!r}.")
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words[1:])
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    # Progress is left out: it tells of this run alone. A complaint is what a user sees of a mistake.
    text = texts[0] if code in (0, 1) else texts[1]
    return "".join(text.splitlines(keepends=True)[: int(head)]) if head else text, code


def run_page(page):
    """The page with the output that its commands have now."""
    code = 0

    def block(match):
        nonlocal code
        lines = []
        for line in match.group(1).splitlines():
            command = line.strip()
            if not command.startswith(PROMPT):
                continue
            text, code = output_of(command.removeprefix(PROMPT), code)
            lines += [f"   {command}", *(f"   {part}".rstrip() for part in text.splitlines()), ""]
        return ".. code-block:: console\n\n" + "\n".join(lines) + "\n"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _plain_terminal():
        shutil.copy(table_path(), "apples.csv")
        return BLOCK.sub(block, page)


@contextlib.contextmanager
def _plain_terminal():
    """No colours and no width of somebody's terminal."""
    before = dict(os.environ)
    for name in ("FORCE_COLOR", "COLUMNS", "CLICOLOR_FORCE"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def differences(shown, found, tolerance=0.02):
    """Lines of two pages that say different things: other words, or numbers further apart than a share."""
    lines, others = shown.splitlines(), found.splitlines()
    if len(lines) != len(others):
        return [f"{len(lines)} lines are shown, {len(others)} were found"]
    return [
        f"shown: {line}\nfound: {other}"
        for line, other in zip(lines, others, strict=True)
        if line != other and not _agree(line, other, tolerance)
    ]


def _agree(line, other, tolerance):
    if VARIES.search(line) and VARIES.search(other):
        return True
    line, other = SECONDS.sub("", line), SECONDS.sub("", other)
    words = [" ".join(NUMBER.sub("#", text).split()) for text in (line, other)]
    if words[0] != words[1]:
        return False
    numbers = [[float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (line, other)]
    # What is nearly nothing (a gap) may be another nothing elsewhere.
    return all(abs(a - b) <= max(1e-6, tolerance * max(abs(a), abs(b))) for a, b in zip(*numbers, strict=True))


if __name__ == "__main__":
    PAGE.write_text(run_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
