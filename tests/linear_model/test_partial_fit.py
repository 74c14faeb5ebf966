"""Training on chunks: the mean of the iterates, its proof, and memory that does not grow."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.certificates import Status
from maxmargin.linear_model import LinearClassifier


def chunks(n=400, count=10, d=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        X = rng.normal(size=(n, d))
        score = X[:, :classes] + 0.5 * rng.normal(size=(n, classes))
        yield X, score.argmax(axis=1)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "squared"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_chunks_approach_the_minimum(loss, classes, convert):
    model = LinearClassifier(loss, solver="sgd")
    for X, y in chunks(classes=classes):
        model.partial_fit(convert(X), y, classes=np.arange(classes))
    whole = LinearClassifier(loss).fit(X, y)
    assert model.score(X, y) >= whole.score(X, y) - 0.05
    # the proof is about the last chunk, and true
    certificate = model.certificate_
    assert certificate.dual <= whole.certificate_.worst.primal or classes > 2
    again = certificate.verify(X, y)
    for claim, proof, best in zip(certificate.problems, again.problems, whole.certificate_.problems, strict=True):
        assert proof.primal == pytest.approx(claim.primal)
        assert proof.relative_gap <= claim.relative_gap * (1 + 1e-6) + 1e-12
        assert claim.dual <= best.primal
        assert best.dual <= claim.primal
        assert claim.primal <= 1.5 * best.primal
    assert certificate.status in (Status.BUDGET_EXHAUSTED, Status.CONVERGED)
    assert model.n_iter_.tolist() == [10] * (1 if classes == 2 else 3)


def test_memory_does_not_grow():
    model = LinearClassifier("logistic", solver="sgd")
    stream = chunks(count=60)
    sizes = []
    tracemalloc.start()
    try:
        for k, (X, y) in enumerate(stream):
            model.partial_fit(X, y, classes=[0, 1])
            if k in (10, 59):
                sizes.append((len(pickle.dumps(model)), tracemalloc.get_traced_memory()[0]))
    finally:
        tracemalloc.stop()
    assert sizes[1][0] <= sizes[0][0] + 64
    assert sizes[1][1] <= sizes[0][1] + 50_000


def test_a_chunk_may_lack_a_class_but_bring_no_new_one():
    X, y = next(chunks(classes=3))
    model = LinearClassifier(solver="sgd").partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert model.coef_.shape == (3, 4)
    model.partial_fit(X[y == 2], y[y == 2])
    with pytest.raises(ValueError, match=r"labels that the model was not trained on: \[.*5"):
        model.partial_fit(X, y + 3)
    with pytest.raises(ValueError, match="4 features"):
        model.partial_fit(X[:, :2], y)


def test_what_is_refused():
    X, y = next(chunks())
    assert not hasattr(LinearClassifier(), "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit"):
        LinearClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        LinearClassifier(solver="sgd").partial_fit(X, y)
    with pytest.raises(ValueError, match=r"class_weight='balanced' needs all samples at once"):
        LinearClassifier(solver="sgd", class_weight="balanced").partial_fit(X, y, classes=[0, 1])


def test_weights_of_classes_and_samples():
    X, y = next(chunks())
    options = {"solver": "sgd", "solver_options": {"order": "cyclic"}}
    by_class = LinearClassifier(class_weight={1: 3.0}, **options).partial_fit(X, y, classes=[0, 1])
    by_sample = LinearClassifier(**options).partial_fit(X, y, classes=[0, 1], sample_weight=1.0 + 2.0 * (y == 1))
    np.testing.assert_allclose(by_class.coef_, by_sample.coef_)
    assert by_class.certificate_.verify(X, y).primal == pytest.approx(by_class.certificate_.primal)


def test_going_on_from_a_fit_and_starting_anew():
    X, y = next(chunks())
    fitted = LinearClassifier("logistic", solver="newton").fit(X, y)
    before = fitted.certificate_.primal
    fitted.set_params(solver="sgd").partial_fit(X, y)
    assert fitted.certificate_.primal <= 1.1 * before
    fresh = LinearClassifier("logistic", solver="newton").fit(X, y)
    np.testing.assert_array_equal(fitted.set_params(solver="newton").fit(X, y).coef_, fresh.coef_)
