"""The benchmarks are no part of the installed package: they are found from the root of the repository."""

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
# the second for contenders of these tests, which workers have to import by name
for folder in (_HERE.parent.parent, _HERE):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
