"""What holds and prints a proof that is not a duality gap."""

import pickle

import pytest

from maxmargin.certificates import Guarantee, Status


def make(status=Status.CONVERGED, holds=True, label="", **changes):
    figures = {"mistakes": 3.0, "bound": 12.5}
    values = {"name": "mistake bound", "figures": figures, "statement": "3 mistakes, at most 12.", **changes}
    return Guarantee(holds=holds, status=status, iterations=4, seconds=0.5, label=label, **values)


def test_text():
    lines = str(make()).splitlines()
    assert lines[0] == "Certificate"
    for line in lines[1:]:  # values stand in one column
        assert line[27] == " "
        assert line[28] != " "
    text = str(make())
    for part in ("mistake bound", "converged", "12.5", "3 mistakes, at most 12."):
        assert part in text
    assert repr(make()) == text


@pytest.mark.parametrize(("kind", "words"), [("estimate", "an estimate, not a proof"), ("nothing", "nothing")])
def test_what_is_no_proof_cannot_hold(kind, words):
    text = str(make(holds=False, kind=kind))
    assert words in text and "holds" not in text
    with pytest.raises(ValueError, match="only a proof can hold"):
        make(kind=kind)
    with pytest.raises(ValueError, match="kind must be one of"):
        make(kind="guess")


def test_html_is_escaped():
    html = Guarantee.of_model([make(label="<b>a</b>", holds=False), make()])._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;b&gt;a&lt;/b&gt;" in html
    assert "<b>" not in html


def test_the_worst_problem_stands_in_front():
    good, open_, budget = (
        make(label="good"),
        make(holds=False, label="open"),
        make(Status.BUDGET_EXHAUSTED, label="out"),
    )
    model = Guarantee.of_model([good, open_])
    assert (model.label, model.holds, model.status) == ("open", False, Status.CONVERGED)
    model = Guarantee.of_model([good, budget, open_])
    assert model.label == "out"
    assert model.worst is budget
    assert (model.iterations, model.seconds) == (12, 1.5)
    assert "3, of which the worst is shown (out)" in str(model)
    assert Guarantee.of_model([good]).worst == good
    assert Guarantee.of_model([good]).problems == ()


def test_verify_asks_the_model_again():
    calls = []

    def recompute(X, y, sample_weight):
        calls.append((X, y, sample_weight))
        return make(Status.REFUTED, holds=False)

    found = Guarantee.of_model([make()], recompute).verify("X", "y")
    assert calls == [("X", "y", None)]
    assert found.status is Status.REFUTED
    assert found.verify("X").status is Status.REFUTED  # it can be asked again
    with pytest.raises(ValueError, match=r"model\.certificate_"):
        make().verify(None)


def test_immutable_hashable_and_picklable():
    with pytest.raises(AttributeError):
        make().holds = False
    assert hash(make()) == hash(make())
    assert pickle.loads(pickle.dumps(make())) == make()
