"""The picture of the front page can be drawn again."""

import importlib.util
import struct
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "margin.py"


def test_the_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    spec = importlib.util.spec_from_file_location("margin", SCRIPT)
    margin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(margin)
    margin.write(tmp_path / "margin.png")
    data = (tmp_path / "margin.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">II", data[16:24]) == struct.unpack(">II", margin.PLACE.read_bytes()[16:24])
    assert 10_000 < len(data) < 150_000
