"""``python -m benchmarks``; the workers that it starts import this module too, hence the guard."""

import sys

from .command_line import main

if __name__ == "__main__":
    sys.exit(main())
