"""Linear searches against GridSearchCV, and what they promise by themselves."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model, svm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.preprocessing import scale

from maxmargin.certificates import Status
from maxmargin.linear import _search
from maxmargin.linear_model import LogisticRegression, LogisticRegressionCV
from maxmargin.svm import LinearSVC, LinearSVCCV

CS = [0.001, 0.03, 1.0]
SEARCHES = [LinearSVCCV, LogisticRegressionCV]


def _two():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def _three():
    X, y = load_iris(return_X_y=True)
    return scale(X), np.array(["a", "b", "c"])[y]


def _many():
    X, y = make_classification(400, 12, n_informative=8, n_classes=5, n_clusters_per_class=1, random_state=0)
    return scale(X), y


def _assert_same(ours, theirs, y, cv):
    """Every split's score within two test samples, and the winner the same or tied within them."""
    two = 2.0 / min(len(test) for _, test in cv.split(y, y)) + 1e-12
    for key, expected in theirs.cv_results_.items():
        if key.startswith("split"):
            np.testing.assert_allclose(ours.cv_results_[key], expected, atol=two, err_msg=key)
    assert theirs.cv_results_["mean_test_score"][ours.best_index_] >= theirs.best_score_ - two
    assert (ours.cv_results_["relative_gap"] <= ours.tol).all()
    assert set(ours.cv_results_["status"]) == {"converged"}


# ---------------------------------------------------------------- parity

# scikit-learn's LinearSVC penalises the intercept; its SVC does not, but knows the hinge only. Hence both comparisons.
PEERS = [
    (LinearSVCCV(CS, fit_intercept=False), svm.LinearSVC(fit_intercept=False, max_iter=100_000)),
    (LinearSVCCV(CS, loss="hinge"), svm.SVC(kernel="linear")),
    (LogisticRegressionCV(CS), linear_model.LogisticRegression(max_iter=10_000)),
    (
        LogisticRegressionCV(CS, l1_ratio=1.0, fit_intercept=False, max_iter=1000),
        linear_model.LogisticRegression(l1_ratio=1.0, fit_intercept=False, solver="liblinear", max_iter=10_000),
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), PEERS, ids=["squared_hinge", "hinge", "logistic", "l1"])
@pytest.mark.parametrize("storage", ["dense", "csr"])
@pytest.mark.parametrize("weight", [None, "classes", "samples"])
def test_two_classes(ours, theirs, storage, weight):
    X, y = _two()
    if storage == "csr":
        X = sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    options = {"class_weight": {0: 3.0, 1: 1.0}} if weight == "classes" else {}
    sample_weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y)) if weight == "samples" else None
    cv = StratifiedKFold(3)
    weighted = hasattr(GridSearchCV, "_check_scorers_accept_sample_weight")  # before 1.8: weights in the fits alone
    ours = clone(ours).set_params(cv=cv, tol=1e-6, weighted_score=weighted, **options)
    theirs = GridSearchCV(clone(theirs).set_params(tol=1e-6, **options), {"C": CS}, cv=cv)
    _assert_same(ours.fit(X, y, sample_weight), theirs.fit(X, y, sample_weight=sample_weight), y, cv)


@pytest.mark.parametrize("data", [_three, _many])
def test_many_classes(data):
    X, y = data()
    cv = StratifiedKFold(4)
    pairs = [PEERS[0], PEERS[2]]
    for machine, peer in pairs:
        ours = clone(machine).set_params(cv=cv, tol=1e-6).fit(X, y)
        theirs = GridSearchCV(clone(peer).set_params(tol=1e-6), {"C": CS}, cv=cv).fit(X, y)
        _assert_same(ours, theirs, y, cv)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc", make_scorer(matthews_corrcoef)])
def test_scorers_and_groups(scoring):
    X, y = _two()
    groups, cv = np.arange(len(y)) % 7, GroupKFold(3)
    ours = LogisticRegressionCV(CS, cv=cv, scoring=scoring, tol=1e-8).fit(X, y, groups=groups)
    theirs = GridSearchCV(LogisticRegression(tol=1e-8), {"C": CS}, cv=cv, scoring=scoring).fit(X, y, groups=groups)
    np.testing.assert_allclose(
        ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-3, atol=1e-6
    )
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize("options", [{}, {"loss": "hinge"}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}])
def test_warm_starts_end_where_cold_ones_do(options):
    X, y = _three()
    ours = LinearSVCCV(CS, tol=1e-6, max_iter=10_000, **options).fit(X, y)
    theirs = GridSearchCV(LinearSVC(tol=1e-6, max_iter=10_000, **options), {"C": CS}).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.014)
    assert (ours.cv_results_["relative_gap"] <= 1e-6).all()


# ---------------------------------------------------------------- what the machine promises


def test_proofs_of_the_winner_can_be_verified():
    X, y = _two()
    for search in (LinearSVCCV(CS), LogisticRegressionCV(CS)):
        search.fit(X, y)
        assert search.certificate_.verify(X, y).relative_gap <= search.tol
        np.testing.assert_array_equal(search.coef_, search.best_estimator_.coef_)
        np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))
        assert search.best_estimator_.C == search.best_params_["C"]


@pytest.mark.parametrize("data", [_two, _three])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_predicted_class_is_the_most_probable_one(data, method):
    X, y = data()
    search = LinearSVCCV(CS, calibration=method).fit(X, y)
    p = search.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(search.classes_[p.argmax(axis=1)], search.predict(X))
    np.testing.assert_allclose(search.predict_log_proba(X), np.log(p))


def test_without_calibration_there_are_no_probabilities():
    search = LinearSVCCV(CS, calibration=None).fit(*_two())
    assert not hasattr(search, "predict_proba")
    assert not hasattr(search, "calibration_")


@pytest.mark.parametrize("search", SEARCHES)
def test_folds_side_by_side_are_the_same(search, monkeypatch):
    X, y = _many()
    one = search(6, n_jobs=1).fit(X, y)
    monkeypatch.setattr(_search, "_SIDE_BY_SIDE", (0, 10**9))
    workers = set()
    follow = _search.LinearEngine._follow_path

    def spy(self, board, f, n_jobs):
        workers.add(threading.get_ident())
        assert n_jobs == 1
        return follow(self, board, f, n_jobs)

    monkeypatch.setattr(_search.LinearEngine, "_follow_path", spy)
    many = search(6, n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], many.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(one.cv_results_["relative_gap"], many.cv_results_["relative_gap"])
    assert len(workers) >= 1


def test_a_fold_without_one_of_the_classes():
    X, y = _many()
    folds = [(np.flatnonzero(y != 3), np.flatnonzero(y == 3)), *KFold(2, shuffle=True, random_state=0).split(X)]
    for search in (LinearSVCCV(CS, cv=folds), LogisticRegressionCV(CS, cv=folds)):
        with pytest.warns(UserWarning, match=r"fold 0 \(class 3\)"):
            search.fit(X, y)
        assert (search.cv_results_["split0_test_score"] == 0).all()
        assert search.predict_proba(X).shape == (400, 5)


def test_data_frames_reach_the_scorer_as_they_are():
    pandas = pytest.importorskip("pandas")
    X, y = _two()
    frame = pandas.DataFrame(X[:, :3], columns=["a", "b", "c"])

    def scorer(model, X, y):
        assert list(X.columns) == ["a", "b", "c"]
        return model.predict_proba(X)[np.arange(len(y)), y].mean()  # a warning about names would be an error

    search = LogisticRegressionCV(CS, scoring=scorer).fit(frame, y)
    assert list(search.best_estimator_.feature_names_in_) == ["a", "b", "c"]
    assert search.predict(frame).shape == y.shape


def test_float32_and_zero_weights():
    X, y = _two()
    weight = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0)
    wide = LinearSVCCV(CS).fit(X, y, weight)
    narrow = LinearSVCCV(CS).fit(X.astype(np.float32), y, weight)
    np.testing.assert_allclose(
        wide.cv_results_["mean_test_score"], narrow.cv_results_["mean_test_score"], atol=2 / (len(y) / 5)
    )


# ---------------------------------------------------------------- the automatic range


@pytest.mark.parametrize("search", [LinearSVCCV(5), LogisticRegressionCV(5), LinearSVCCV(5, penalty="l1")])
def test_the_range_follows_the_data(search):
    X, y = _two()
    search = clone(search)

    def Cs(X, y, weight=None, **options):  # noqa: N802
        return clone(search).set_params(max_iter=0, error_score=0, **options)._make_grid(_data(X, y, weight)).values[0]

    plain = Cs(X, y)
    assert (np.diff(np.log(plain)) > 0).all() and len(plain) == 5
    power = 1 if search.get_params().get("penalty") == "l1" else 2
    np.testing.assert_allclose(Cs(3 * X, y), plain / 3**power, rtol=1e-5)
    np.testing.assert_allclose(Cs(X + 10, y), plain, rtol=1e-3)  # there is an intercept
    np.testing.assert_allclose(Cs(X, y, np.full(len(y), 2.0)), plain / 2)
    np.testing.assert_allclose(Cs(np.vstack([X, X]), np.append(y, y)), plain / 2)
    np.testing.assert_allclose(Cs(sp.csr_array(X), y), plain, rtol=1e-6)
    np.testing.assert_allclose(Cs(X.astype(np.float32), y), plain, rtol=1e-3)


def _data(X, y, weight):
    from maxmargin.search import SearchData

    return SearchData(X, y, weight, *np.unique(y, return_inverse=True))


def test_the_range_starts_where_the_solution_starts_to_change():
    X, y = _two()
    grid = LogisticRegressionCV(8).fit(X, y).cv_results_["param_C"].data
    first, half = (LogisticRegression(C=c, tol=1e-10).fit(X, y).coef_.ravel() for c in (grid[0], grid[0] / 2))
    cosine = first @ half / np.linalg.norm(first) / np.linalg.norm(half)
    assert cosine > 0.9999
    assert np.linalg.norm(first) / np.linalg.norm(half) == pytest.approx(2.0, abs=0.15)
    l1 = LinearSVCCV(8, penalty="l1").fit(X, y).cv_results_["param_C"].data
    assert not LinearSVC(penalty="l1", C=0.99 * l1[0]).fit(X, y).coef_.any()
    assert LinearSVC(penalty="l1", C=1.05 * l1[0]).fit(X, y).coef_.any()


@pytest.mark.parametrize("search", [LinearSVCCV(5), LinearSVCCV(5, penalty="l1")])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-13, 1e13, 1e160, 1e300])
def test_the_range_of_rows_whose_squares_overflow_or_vanish(search, form, scale):
    """Without NumPy's warnings, and within what solvers take."""
    X, y = _two()
    values = clone(search)._make_grid(_data(form(scale * X), y, None)).values[0]
    assert ((values >= 1e-200) & (values <= 1e200)).all()
    assert (values[0] > 1) == (scale < 1)


@pytest.mark.parametrize("search", [LinearSVCCV(4), LogisticRegressionCV(4), LinearSVCCV(4, penalty="l1")])
@pytest.mark.parametrize("exponent", [66, -66, 150, -150])
def test_results_do_not_depend_on_the_unit_of_the_rows(search, exponent):
    X, y = _two()
    plain, other = clone(search).fit(X, y), clone(search).fit(2.0**exponent * X, y)
    power = 1 if search.get_params().get("penalty") == "l1" else 2
    assert other.best_params_["C"] == pytest.approx(plain.best_params_["C"] * 2.0 ** (-power * exponent), rel=1e-9)
    assert other.best_score_ == plain.best_score_
    assert other.certificate_.status is Status.CONVERGED


@pytest.mark.parametrize("search", [LinearSVCCV(), LinearSVCCV(penalty="l1"), LogisticRegressionCV()])
@pytest.mark.parametrize("value", [1.0, 0.1, 1e-7])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_constant_features_have_a_range(search, value):
    search = clone(search).fit(np.full((20, 2), value), np.arange(20) % 2)
    values = search.cv_results_["param_C"].data.astype(float)
    assert values.min() == 1.0  # what is left of them by rounding has no part in it


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"Cs": []}, "Cs must be"),
        ({"Cs": [0.0]}, "Cs must be positive and finite; got 0"),
        ({"Cs": [1, np.inf]}, "Cs must be positive and finite; got inf"),
        ({"tol": 0.0}, "tol"),
        ({"solver": "magic"}, "magic"),
        ({"scoring": ["accuracy"]}, "scoring must be one"),
        ({"class_weight": {0: -1.0}}, "class_weight"),
    ],
)
def test_bad_parameters(search, options, says):
    with pytest.raises(ValueError, match=says):
        search(**options).fit(*_two())


def test_contradictions_are_refused_before_anything_is_computed():
    with pytest.raises(ValueError, match=r"crammer_singer.*penalty"):
        LinearSVCCV(multi_class="crammer_singer", penalty="l1").fit(*_two())
    with pytest.raises(ValueError, match="liblinear"):
        LogisticRegressionCV(solver="liblinear").fit(*_two())


def test_cells_that_do_not_converge_are_named():
    with pytest.warns(ConvergenceWarning) as caught:
        search = LogisticRegressionCV(CS, max_iter=1, tol=1e-12).fit(*_two())
    assert any("did not reach the tolerance in some fold" in str(w.message) for w in caught)
    assert "budget exhausted" in set(search.cv_results_["status"])


def test_interrupt_and_resume(monkeypatch):
    X, y = _two()
    search = LinearSVCCV(CS, warm_start=True, n_jobs=1)
    solve, calls = _search._solve, []

    def spy(*args):
        calls.append(0)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return solve(*args)

    monkeypatch.setattr(_search, "_solve", spy)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert np.isfinite(search.cv_results_["split0_test_score"]).all()
    search.fit(X, y)
    assert len(calls) == 6 + 15 - 5
    whole = LinearSVCCV(CS, n_jobs=1).fit(X, y)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], whole.cv_results_["mean_test_score"])
    assert search.best_params_ == whole.best_params_
