"""What holds and prints the proof."""

import pickle

import numpy as np
import pytest

from maxmargin.certificates import Certificate, Evidence, ModelCertificate, NotSeparableError, SeparationProof, Status


def make(status=Status.CONVERGED, relative_gap=1e-9, violation=1e-4, label="a against b", **changes):
    figures = {"primal": 2.0, "dual": 1.5, "gap": 0.5, "iterations": 10, "seconds": 0.25, **changes}
    return Certificate(relative_gap=relative_gap, kkt_violation=violation, status=status, label=label, **figures)


def test_figures_are_those_of_the_evidence():
    evidence = Evidence(3.0, 2.0, 1.0, 1 / 3, 0.1, (0.5,), np.zeros(2))
    c = Certificate.of(evidence, Status.STALLED, 7, 1.5, "x")
    assert (c.primal, c.dual, c.gap, c.relative_gap, c.kkt_violation) == (3.0, 2.0, 1.0, 1 / 3, 0.1)
    assert (c.status, c.iterations, c.seconds, c.label) == (Status.STALLED, 7, 1.5, "x")


def test_status_reads_as_words():
    words = ["converged", "stationary", "budget exhausted", "interrupted", "stalled", "refuted"]
    assert [str(s) for s in Status] == words


def test_a_refuted_problem_stands_in_front():
    parts = (make(Status.BUDGET_EXHAUSTED, 0.9), make(Status.REFUTED, 1e-3), make())
    assert ModelCertificate(parts).status is Status.REFUTED


def test_text():
    text = str(make())
    lines = text.splitlines()
    assert lines[0] == "Certificate"
    assert "converged" in text
    assert "1.5 <= optimum <= 2" in text
    assert "1.00e-09" in text
    assert "1.00e-04" in text
    for line in lines[1:]:  # values stand in one column
        assert line[28] == " "
        assert line[29] != " "


def test_html_escapes_the_labels_of_users():
    model = ModelCertificate((make(label="<b>a</b> against b", relative_gap=1.0), make()))
    html = model._repr_html_()
    assert html.startswith("<table>")
    assert html.endswith("</table>")
    assert "&lt;b&gt;a&lt;/b&gt;" in html
    assert "<b>" not in html
    assert "dual &lt;= optimum &lt;= primal" in html
    assert "Certificate" in make()._repr_html_()


def test_the_worst_problem_stands_in_front():
    good, wide, stalled = make(label="good"), make(relative_gap=1e-2, label="wide"), make(Status.STALLED, label="bad")
    assert ModelCertificate((good, wide)).worst is wide
    model = ModelCertificate((good, stalled, wide))
    assert model.worst is stalled  # a status that claims less weighs more than any gap
    assert model.status is Status.STALLED
    assert "3, of which the worst is shown (bad)" in str(model)
    assert repr(model) == str(model)


def test_figures_of_a_model():
    first = make(relative_gap=1e-3, violation=1e-5, iterations=5, seconds=1.0, primal=10.0, dual=9.0, gap=1.0)
    second = make(relative_gap=1e-6, violation=1e-2, iterations=7, seconds=2.0)
    model = ModelCertificate((first, second))
    assert (model.primal, model.dual, model.gap, model.relative_gap) == (10.0, 9.0, 1.0, 1e-3)
    assert model.kkt_violation == 1e-2  # of any problem
    assert model.iterations == 12
    assert model.seconds == 3.0
    assert model.status is Status.CONVERGED
    assert "iterations                 12" in str(model)


def test_a_single_problem_is_shown_without_its_number():
    assert "of which" not in str(ModelCertificate((make(),)))


def test_verify_needs_a_model():
    with pytest.raises(ValueError, match=r"model\.certificate_"):
        ModelCertificate((make(),)).verify(None, None)


def test_certificates_are_immutable():
    with pytest.raises(AttributeError):
        make().gap = 0.0


def test_error_survives_pickling():
    proof = SeparationProof(np.array([3]), np.array([5, 8]), np.array([1.0]), np.array([0.5, 0.5]), 0.0, 2.0)
    error = pickle.loads(pickle.dumps(NotSeparableError("they overlap", proof)))
    assert isinstance(error, NotSeparableError)
    assert isinstance(error, ValueError)
    assert str(error) == "they overlap"
    assert list(error.proof.negative) == [5, 8]
    assert error.proof.scale == 2.0
