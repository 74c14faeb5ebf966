"""Make the picture of a report by the code of its page and a browser: ``python docs/report_picture.py [chromium]``."""

import re
import subprocess
import sys
import tempfile
import textwrap
from contextlib import chdir
from pathlib import Path

from PIL import Image

DOCS = Path(__file__).parent
WIDTH, HEIGHT = 1100, 1400
DARK = "--blink-settings=preferredColorScheme=0"


def photograph(browser, page, *options):
    """The top of a page, as a browser shows it."""
    picture = page.with_suffix(".png")
    command = [browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-background-networking", *options]
    size = f"--window-size={WIDTH},{HEIGHT}"
    subprocess.run([*command, size, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True)
    return Image.open(picture).convert("RGB")


def main(browser="chromium"):
    text = (DOCS / "report.rst").read_text(encoding="utf-8")
    block = re.search(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)[1]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        exec(compile(textwrap.dedent(block), "report.rst", "exec"), {})
        page = Path(folder, "report.html")
        both = Image.new("RGB", (2 * WIDTH, HEIGHT))
        both.paste(photograph(browser, page), (0, 0))
        both.paste(photograph(browser, page, DARK), (WIDTH, 0))
    small = both.resize((both.width * 4 // 5, both.height * 4 // 5), Image.Resampling.LANCZOS)
    small.quantize(256, dither=Image.Dither.NONE).save(DOCS / "_static" / "report.png", optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
