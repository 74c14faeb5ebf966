"""Make the pictures of pages of the manual by their own code: ``python docs/pictures.py clusters``.

The code blocks of a page run in order, in an empty folder. What they save under the name of a picture that the page
shows goes to ``docs/_static``, in 256 colours: a third of the size, and no difference to see.
"""

import argparse
import re
import tempfile
import textwrap
from contextlib import chdir
from pathlib import Path

import matplotlib
from PIL import Image

DOCS = Path(__file__).parent
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", re.MULTILINE)
PICTURE = re.compile(r"^\.\. image:: _static/(\S+\.png)$", re.MULTILINE)


def make_pictures(page):
    """Run a page; the pictures that were made."""
    text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
    namespace, made = {}, []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for block in BLOCK.findall(text):
            exec(compile(textwrap.dedent(block), page, "exec"), namespace)
        for name in PICTURE.findall(text):
            if Path(name).exists():
                picture = Image.open(name).convert("RGB").quantize(256, dither=Image.Dither.NONE)
                picture.save(DOCS / "_static" / name, optimize=True)
                made.append(name)
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", help="names of pages, such as clusters")
    matplotlib.use("Agg")
    for page in parser.parse_args().pages:
        print(page, *make_pictures(page))
