"""``python -m maxmargin`` is the command ``maxmargin``."""

import sys

from .cli import process

if __name__ == "__main__":
    sys.exit(process())
