import builtins
import re
import struct
import sys

import pytest

from maxmargin import demo


def test_demo_prints_its_account_and_draws(tmp_path, capsys):
    picture = tmp_path / "new" / "street.png"
    assert demo.main(["--out", str(picture)]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert not [line for line in lines[:-1] if line != line.rstrip() or len(line) > 100]  # the last is a path
    for expected in (
        "569 tumours",
        "426 (159 malignant, 267 benign)",
        "baseline",
        "converged     converged",
        "Proven:",
    ):
        assert expected in out
    counts = [int(n) for n in re.findall(r"^  (?:outside|on the|inside).*?  +(\d+)  ", out, re.MULTILINE)]
    assert len(counts) == 4 and sum(counts) == 426
    right, total = re.search(r"held out +(\d+) of (\d+) right", out).groups()
    baseline = re.search(r"baseline +(\d+) of", out).group(1)
    assert int(total) == 143 and int(right) > 130 > int(baseline)
    assert lines[-1] == f"Picture of the street: {picture}"
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width >= 800 and height >= 600


def test_demo_on_a_terminal_uses_rich(tmp_path, capsys, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    demo.show("A title", [demo.Table("Things", [("a", "1"), ("b", "2")]), demo.Table("More", [("c", "3")], ("", "n"))])
    out = capsys.readouterr().out
    assert "A title" in out and "Things" in out


def test_demo_works_without_rich_and_matplotlib(tmp_path, capsys, monkeypatch):
    real_import = builtins.__import__

    def without_extras(name, *args, **kwargs):
        if name.split(".")[0] in ("rich", "matplotlib"):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(builtins, "__import__", without_extras)
    picture = tmp_path / "street.png"
    assert demo.main(["--out", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "\nCertificate\n" in out
    assert "pip install 'maxmargin[plot]'" in out
    assert not picture.exists()


def test_demo_fails_where_the_certificate_is_not_confirmed(tmp_path, capsys, monkeypatch):
    from maxmargin.certificates import Status
    from maxmargin.svm import SVC

    recertify = SVC._recertify

    def refuted(self, *args):
        from dataclasses import replace

        return [replace(c, status=Status.REFUTED) for c in recertify(self, *args)]

    monkeypatch.setattr(SVC, "_recertify", refuted)
    assert demo.main(["--out", str(tmp_path / "street.png")]) == 1
    assert "Not proven" in capsys.readouterr().out
