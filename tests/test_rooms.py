"""The picture in CONTRIBUTING shows the rooms that there are."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_picture_has_all_rooms_in_their_order():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = [name.strip("()") for name in layers if "__" not in name]
    drawn = (ROOT / "docs/_static/rooms.svg").read_text(encoding="utf-8")
    found = re.search(r"<dc:description>(.*?)</dc:description>", drawn, re.DOTALL)
    assert found and found[1].split(", ") == rooms


def test_every_room_has_a_line_in_contributing():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    named = {name for cell in table for name in re.findall(r"`(\w+)`", cell)}
    assert named == {path.name for path in (ROOT / "src/maxmargin").iterdir() if (path / "__init__.py").exists()}
