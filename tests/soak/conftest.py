"""So that tests.soak is found."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
