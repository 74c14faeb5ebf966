"""Lower bounds by some rows of the kernel matrix: they hold as often as they say, and nobody calls them proven."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.svm.test_large import moons

from maxmargin.certificates import (
    Certificate,
    LowerBound,
    ModelCertificate,
    Status,
    evaluate_bracket,
    lower_bound,
    sampled_lower_bound,
)
from maxmargin.certificates._betting import LengthBound
from maxmargin.cli._account import certificate_table, certificate_words
from maxmargin.data import Rows
from maxmargin.kernels import make_kernel
from maxmargin.persistence import load, save, to_onnx
from maxmargin.problems import BoxQP
from maxmargin.report._proof import CONFIRMED, agree, proof_section, proven_words
from maxmargin.solvers.large._approximation import with_right_sum
from maxmargin.svm import LargeSVC, LargeSVR
from maxmargin.training._account import certificate_account

NOBODY = np.empty(0, dtype=np.int64)


def gram_of(X, gamma=1.0, kernel="rbf"):
    return make_kernel(kernel, gamma, 1.0, 2).gram(Rows(X), None, 1)


def made(seed, n=120, **options):
    """A problem with random weights, and multipliers that fit it."""
    rng = np.random.default_rng(seed)
    X, y = moons(n, seed)
    sign, C = np.where(y > 0, 1.0, -1.0), 10.0 ** rng.uniform(-2, 2, n)
    problem = BoxQP.classifier(gram_of(X, 10.0 ** rng.uniform(-1.5, 1.5), **options), sign, C)
    beta = sign * C * rng.uniform(size=n) ** rng.integers(1, 4) * (rng.uniform(size=n) < 0.7)
    return problem, with_right_sum(problem, beta), rng


def is_wrong(problem, found):
    """Whether a bound is above the dual objective of its own multipliers, rounded up."""
    exact = lower_bound(problem, found.beta)
    return found.value > exact.value + 2 * exact.rounding


# ---------------------------------------------------------------- the length


@pytest.mark.parametrize(("eta", "most"), [(0.1, 62), (1e-6, 0)])
def test_the_hardest_draws_are_as_often_wrong_as_is_said(eta, most):
    """Draws that are 0, or with a small probability the largest possible value: 400 times 0.1 is 40, and 3.7 sigma."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(400):
        x, scale = 1.0, 30.0
        draws = np.where(rng.uniform(size=100) < x / scale, scale * x, 0.0)
        wrong += LengthBound(scale, 0.0, 0.0, eta).update(draws) < x
    assert wrong <= most


def test_draws_may_be_looked_at_as_often_as_one_likes():
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(300):
        bound, draws = LengthBound(20.0, 0.0, 0.0, 0.1), np.where(rng.uniform(size=300) < 1 / 20, 20.0, 0.0)
        wrong += min(bound.update(draws[:k]) for k in range(5, 300, 5)) < 1
    assert wrong <= 30 + 19


def test_the_bound_of_a_length_is_the_one_that_draws_of_zero_allow():
    """(1 - x / scale)^s >= eta is what an honest bound cannot go below; stakes and steps cost little more."""
    bound = LengthBound(1000.0, 0.0, 0.0, 1e-6)
    assert bound.largest == pytest.approx(1000.0)
    found = bound.update(np.zeros(500))
    least = 1000 * -np.expm1(np.log(1e-6) / 500)
    assert least < found < 1.15 * least


def test_draws_that_are_all_the_same_tell_the_length():
    found = LengthBound(30.0, 0.0, 0.0, 1e-6).update(np.full(20_000, 9.0))
    assert 3 < found < 3.05


def test_what_is_not_a_number_refutes_nothing():
    for draws in ([np.inf], [np.nan, np.inf], [1e308]):
        bound = LengthBound(10.0, 0.0, 0.0, 1e-6)
        assert bound.update(np.array(draws)) == bound.largest == pytest.approx(10.0)
    assert LengthBound(np.inf, 0.0, 0.0, 1e-6).update(np.zeros(10)) == np.inf


# ---------------------------------------------------------------- the bound of the optimum


@pytest.mark.parametrize(("eta", "most"), [(0.1, 30), (1e-6, 0)])
def test_it_is_wrong_no_more_often_than_is_said(eta, most):
    wrong = 0
    for seed in range(150):
        problem, beta, rng = made(seed, 60)
        landmarks = rng.choice(60, rng.integers(0, 20), replace=False)
        found = sampled_lower_bound(problem, beta, landmarks, rng, eta=eta, rows=int(rng.integers(10, 200)))
        wrong += is_wrong(problem, found)
        assert found.confidence in (1.0, 1 - eta) and (found.confidence == 1) == (found.rows == 0)
    assert wrong <= most


def test_rows_that_many_coefficients_hide_are_not_missed():
    """A few equal rows with large multipliers among many whose own cancel: nearly all of the quadratic term."""
    rng = np.random.default_rng(0)
    X = np.concatenate([np.repeat(100 + rng.normal(size=(1000, 1)) * 50, 2, axis=0), np.zeros((20, 1))])
    sign = np.concatenate([np.tile([1.0, -1.0], 1000), np.ones(20)])
    problem = BoxQP.classifier(gram_of(X), sign, np.full(len(X), 100.0))
    problem = replace(problem, totals=())
    beta = sign * np.concatenate([np.full(2000, 0.1), np.full(20, 3.0)])
    for seed in range(40):
        found = sampled_lower_bound(problem, beta, NOBODY, np.random.default_rng(seed), rows=100)
        assert not is_wrong(problem, found)


def test_one_heavy_row_is_drawn():
    X, y = moons(200)
    sign = np.where(y > 0, 1.0, -1.0)
    problem = replace(BoxQP.classifier(gram_of(X, 1000.0), sign, np.full(200, 100.0)), totals=())
    beta = 1e-3 * sign
    beta[7] = 1.0 * sign[7]
    found = sampled_lower_bound(problem, beta, NOBODY, np.random.default_rng(0), rows=2000)
    exact = lower_bound(problem, beta)
    assert exact.square == pytest.approx(1.0, rel=1e-3)
    assert exact.square <= found.square <= 1.3 * exact.square and not is_wrong(problem, found)


def test_rows_that_are_orthogonal_have_a_closed_form():
    """K = I and equal multipliers: every draw is the same, and the quadratic term their sum of squares."""
    X = 100.0 * np.arange(300)[:, None]
    sign = np.where(np.arange(300) % 2, 1.0, -1.0)
    problem = BoxQP.classifier(gram_of(X), sign, np.ones(300))
    found = sampled_lower_bound(problem, 0.5 * sign, NOBODY, np.random.default_rng(0), rows=20_000)
    assert 75 <= found.square <= 1.05 * 75
    assert 150 - 1.05 * 37.5 <= found.value <= 150 - 37.5
    assert found.rows == 20_000 and (found.beta == 0.5 * sign).all()


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_landmarks_that_span_everything_leave_nothing_to_draw(kernel):
    X, y = moons(2000)
    sign = np.where(y > 0, 1.0, -1.0)
    problem = BoxQP.classifier(gram_of(X, 1.0, kernel), sign, np.full(2000, 1e-4))
    beta = with_right_sum(problem, 1e-4 * sign)
    exact = lower_bound(problem, beta)
    found = sampled_lower_bound(problem, beta, np.arange(30), np.random.default_rng(0), rows=500)
    assert exact.square <= found.square <= exact.square * (1 + 1e-3) and not is_wrong(problem, found)
    # without landmarks so few draws say much less
    assert sampled_lower_bound(problem, beta, NOBODY, np.random.default_rng(0), rows=500).square > 1.05 * exact.square


def test_multipliers_beyond_the_best_multiple_are_scaled():
    X, y = moons(300)
    sign = np.where(y > 0, 1.0, -1.0)
    problem = BoxQP.classifier(gram_of(X, 0.5), sign, np.full(300, 100.0))
    beta = with_right_sum(problem, 50.0 * sign)
    found = sampled_lower_bound(problem, beta, np.arange(100), np.random.default_rng(0), rows=3000)
    assert lower_bound(problem, beta).value < 0 < found.value
    share = np.abs(found.beta).max() / np.abs(beta).max()
    assert share < 0.1 and np.allclose(found.beta, share * beta) and not is_wrong(problem, found)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, lambda X: X.astype(np.float32)])
def test_dense_sparse_and_float32_rows(form):
    X, y = moons(400)
    X[:, 0] *= X[:, 0] > 0
    problem = BoxQP.classifier(gram_of(form(X)), np.where(y > 0, 1.0, -1.0), np.linspace(0.1, 1, 400))
    beta = with_right_sum(problem, problem.upper / 2 + problem.lower / 2)
    found = sampled_lower_bound(problem, beta, np.arange(60), np.random.default_rng(0), rows=4000)
    exact = lower_bound(problem, found.beta)
    assert exact.value * 0.97 < found.value <= exact.value


def test_two_variables_a_row():
    rng = np.random.default_rng(0)
    X, C = rng.normal(size=(300, 2)), rng.uniform(0.5, 2, 300)
    problem = BoxQP.regressor(gram_of(X, 0.5), np.sin(X[:, 0]), C, 0.05)
    ends = problem.upper + problem.lower
    beta = 0.05 * ends * (ends * problem.p > 0) + 0.01 * rng.uniform(size=600) * ends  # both sides of every row at once
    beta = with_right_sum(problem, beta)
    found = sampled_lower_bound(problem, beta, np.arange(60), rng, rows=3000)
    assert found.confidence < 1 and not is_wrong(problem, found)
    assert found.value > 0.8 * lower_bound(problem, found.beta).value > 0


def test_a_sum_that_is_not_zero_leaves_no_bound_by_nothing():
    X, _ = moons(100)
    problem = BoxQP(gram_of(X), np.zeros(100), np.zeros(100), np.full(100, 0.1), (1.0,))
    beta = np.full(100, 0.01)
    found = sampled_lower_bound(problem, beta, np.arange(40), np.random.default_rng(0), rows=2000)
    exact = lower_bound(problem, beta)
    assert 1.2 * exact.value < found.value <= exact.value < 0 and (found.beta == beta).all()
    over = sampled_lower_bound(problem, beta, NOBODY, np.random.default_rng(0), left=lambda: 0.0)
    assert over.value == -np.inf and over.rows == 0


def test_multipliers_outside_the_box_say_nothing():
    problem, beta, rng = made(0)
    found = sampled_lower_bound(problem, 1e6 * beta, NOBODY, rng)
    assert found.value == 0 and found.confidence == 1 and not found.beta.any()


@pytest.mark.parametrize("size", [0.0, 1e-170, 1e100, 1e153])
def test_rows_that_are_nothing_or_nearly_overflow(size):
    X, y = moons(60)
    sign = np.where(y > 0, 1.0, -1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        problem = BoxQP.classifier(gram_of(size * X, 1.0, "linear"), sign, np.ones(60))
        beta = with_right_sum(problem, 0.5 * sign)
        found = sampled_lower_bound(problem, beta, np.arange(5), np.random.default_rng(0), rows=200)
        assert 0 <= found.value <= np.abs(beta).sum() and not is_wrong(problem, found)


def test_time_is_asked_for_between_blocks():
    problem, beta, rng = made(1, 400)
    over = sampled_lower_bound(problem, beta, np.arange(50), rng, left=lambda: 0.0)
    assert (over.value, over.rows, over.confidence) == (0.0, 0, 1.0)
    asked = []

    def left():
        asked.append(1)
        return 1e6 if len(asked) < 3 else 0.0

    some = sampled_lower_bound(problem, beta, np.arange(50), rng, left=left, rows=10**6)
    assert 0 < some.rows < 5000


def test_draws_end_where_the_bound_is_enough():
    problem, beta, _ = made(2, 400)
    whole = sampled_lower_bound(problem, beta, np.arange(99), np.random.default_rng(0), rows=8000)
    early = sampled_lower_bound(
        problem, beta, np.arange(99), np.random.default_rng(0), rows=8000, enough=0.9 * whole.value
    )
    assert 0.89 * whole.value <= early.value <= whole.value and early.rows < whole.rows == 8000


def test_a_draw_that_failed_claims_nothing():
    problem, beta, _ = made(3)
    found = evaluate_bracket(problem, beta, beta, below=LowerBound(1e12, 0.0, 0.0, 1 - 1e-6))
    assert found.dual == -np.inf and found.gap == np.inf and found.confidence == 1


# ---------------------------------------------------------------- what is said of it


def sampled_model(kind=LargeSVC, share=0.9, confidence=1 - 1e-6, status=Status.BUDGET_EXHAUSTED):
    """A machine with a lower bound of this share of the exact dual objective, said to hold with this probability."""
    X, y = moons(300)
    y = y if kind is LargeSVC else np.sin(X[:, 0])
    model = kind(method="landmarks", n_landmarks=40, gap_tol=0.2, random_state=0).fit(X, y)
    part = model.certificate_.problems[0]
    dual = share * part.dual
    gap = np.nextafter(part.primal - dual, np.inf)
    part = replace(part, dual=dual, gap=gap, relative_gap=gap / part.primal, status=status, confidence=confidence)
    model.certificate_ = ModelCertificate((part,), model._recertify)
    model.radius_, model.intercept_range_ = np.array([np.inf]), np.array([[-np.inf, np.inf]])
    return model, X, y


WORDS = "holds with probability 1 - 1e-06, not proven"


def test_it_is_printed_as_what_it_is():
    model, _, _ = sampled_model()
    proof = model.certificate_
    assert proof.confidence == 1 - 1e-6
    for text in (str(proof), proof._repr_html_(), str(proof.problems[0])):
        assert "lower bound sampled" in text and WORDS in text
    assert "sampled" not in str(LargeSVC().fit(*moons(50)).certificate_)


def test_one_sampled_problem_is_named_though_another_is_worse():
    model, _, _ = sampled_model()
    part = model.certificate_.problems[0]
    worse = replace(part, confidence=1.0, relative_gap=0.5)
    assert WORDS in str(ModelCertificate((part, worse)))


@pytest.mark.parametrize("kind", [LargeSVC, LargeSVR])
def test_verify_proves_what_was_sampled(kind):
    model, X, y = sampled_model(kind)
    found = model.certificate_.verify(X, y)
    assert found.status is not Status.REFUTED and found.confidence == 1
    assert found.dual > model.certificate_.dual and "sampled" not in str(found)


@pytest.mark.parametrize(
    "changes",
    [
        {"share": 1.001},  # above the dual objective
        {"status": Status.CONVERGED},
        {"confidence": 0.0},
        {"confidence": -1.0},
        {"confidence": 1.5},
        {"confidence": np.nan},
    ],
)
def test_false_claims_are_refuted(changes):
    model, X, y = sampled_model(**changes)
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_a_sampled_bound_proves_no_distance():
    model, X, y = sampled_model()
    low, high = model.decision_interval(X[:5])
    assert (low == -np.inf).all() and (high == np.inf).all() and not model.certain(X).any()
    model.radius_ = np.array([1e9])
    assert model.certificate_.verify(X, y).status is Status.REFUTED


def test_a_file_keeps_it(tmp_path):
    model, X, y = sampled_model()
    save(model, tmp_path / "model.mm")
    again = load(tmp_path / "model.mm").certificate_
    assert again.problems == model.certificate_.problems
    assert again.verify(X, y).status is not Status.REFUTED


def test_onnx_says_it(tmp_path):
    onnx = pytest.importorskip("onnx")
    model, _, _ = sampled_model()
    to_onnx(model, tmp_path / "model.onnx")
    facts = {p.key: p.value for p in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert WORDS in facts["maxmargin.certificate"]


def test_the_report_does_not_call_it_proven():
    model, X, y = sampled_model()
    proof = model.certificate_
    section = proof_section(proof, None, "", None)
    assert WORDS in section["words"] and WORDS in proven_words(section) and "proven is" not in proven_words(section)
    found = proof.verify(X, y)
    assert agree(proof, found) and proof_section(proof, found, "", None)["state"] == CONFIRMED
    other = ModelCertificate((replace(found.problems[0], primal=2 * found.primal),))
    assert not agree(proof, other)


def test_the_tool_does_not_call_it_proven():
    account = certificate_account(sampled_model()[0].certificate_)
    assert WORDS in certificate_words(account)
    assert any(WORDS in cell for row in certificate_table(account).rows for cell in row)
    proven = certificate_account(LargeSVC().fit(*moons(50)).certificate_)
    assert proven["confidence"] == 1 and not any("lower bound" in row for row in certificate_table(proven).rows)
    old = {name: value for name, value in proven.items() if name != "confidence"}  # an account of an earlier file
    assert certificate_words(old) == certificate_words(proven)


def test_a_certificate_is_a_proof_unless_it_says_otherwise():
    assert Certificate(1.0, 1.0, 0.0, 0.0, 0.0, Status.CONVERGED, 1, 0.0).confidence == 1
