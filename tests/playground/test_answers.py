"""Every method of the page: its figures and steps are the library's, its Python does the same."""

import contextlib
import io
import warnings

import numpy as np
import pytest

from maxmargin.certificates import ModelCertificate
from maxmargin.playground._methods import CLASSES, CLUSTERS, CURVE, METHODS
from maxmargin.playground._worker import Session

from .asking import arrays_of, ask, example, header_of

PRESET = {CLASSES: "moons", CLUSTERS: "blobs", CURVE: "sine"}
STEPPED = [name for name, method in METHODS.items() if method.steps]


def data_of(method):
    arrays = example(PRESET[METHODS[method].task])
    X, y = arrays["points"], arrays["labels"]
    return arrays, *((X[:, :1], X[:, 1]) if METHODS[method].task == CURVE else (X, y))


def fitted(method, X, y, step=None):
    """The library's own fit, by the public estimator."""
    it = METHODS[method]
    model = it.make(it.keywords(it.values({}), step))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X) if it.task == CLUSTERS else model.fit(X, y)


@pytest.mark.parametrize("method", METHODS)
def test_figures_are_those_of_the_library(method):
    arrays, X, y = data_of(method)
    header, found = ask("fit", header_of(method), arrays)
    model = fitted(method, X, y)
    proof, said = model.certificate_, header["certificate"]
    if isinstance(proof, ModelCertificate):
        for name in ("primal", "dual", "gap", "relative_gap", "kkt_violation"):
            assert said[name] == getattr(proof.worst, name)
        assert said["status"] == str(proof.worst.status)
    else:
        assert said["statement"] == proof.statement and said["holds"] == proof.holds
        finite = {k: v for k, v in proof.figures.items() if np.isfinite(v)}
        assert {k: said["figures"][k] for k in finite} == finite
    if METHODS[method].task == CLUSTERS:
        assert np.array_equal(found["predicted"], model.labels_)
        return
    assert found["curve"].shape[1] == 2 if METHODS[method].task == CURVE else found["predicted"].shape == y.shape
    if "f" in found:
        own = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
        assert np.array_equal(found["f"][:, 0], own)
    if "multiplier" in found:
        assert np.array_equal(found["multiplier"][model.support_], np.abs(model.dual_coef_[0]))
        assert np.count_nonzero(found["multiplier"]) == len(model.support_)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "ncut"])  # which says nothing of other places
def test_the_grid_is_the_decision(method):
    arrays, X, y = data_of(method)
    _, found = ask("fit", header_of(method, cells=(6, 4)), arrays)
    if "curve" in found:
        assert np.array_equal(fitted(method, X, y).predict(found["curve"][:, :1]), found["curve"][:, 1])
        return
    x, down = -3 + 6 * (np.arange(6) + 0.5) / 6, 3 - 6 * (np.arange(4) + 0.5) / 4
    place = np.array([[a, b] for b in down for a in x])
    model = fitted(method, X, y)
    if "values" in found:
        assert np.allclose(found["values"].ravel(), model.decision_function(place), rtol=1e-6)
    else:
        assert np.array_equal(found["regions"].ravel(), model.predict(place))


@pytest.mark.parametrize("method", STEPPED)
def test_steps_come_from_the_library(method):
    arrays, X, y = data_of(method)
    header, found = ask("course", header_of(method), arrays)
    steps = found["steps"]
    assert (np.diff(steps) > 0).all() and steps[-1] == header["last"] and header["curves"]
    middle = int(steps[len(steps) // 2])
    at_step, _ = ask("fit", header_of(method, step=middle), arrays)
    proof = fitted(method, X, y, middle).certificate_
    if isinstance(proof, ModelCertificate):
        assert at_step["certificate"]["primal"] == proof.primal
        assert at_step["certificate"]["iterations"] <= middle
    else:
        assert at_step["certificate"]["statement"] == proof.statement


@pytest.mark.parametrize("solver", ["smo", "projected_gradient"])
def test_the_last_step_is_the_optimum(solver):
    arrays = example()
    header, found = ask("course", header_of("svc", stepper=solver), arrays)
    whole, _ = ask("fit", header_of("svc"), arrays)
    last, _ = ask("fit", header_of("svc", step=header["last"], stepper=solver), arrays)
    primal, dual = found["curve primal"], found["curve dual"]
    assert (dual <= primal).all()
    assert last["certificate"]["status"] == "converged"
    assert last["certificate"]["dual"] <= whole["certificate"]["primal"]
    assert whole["certificate"]["dual"] <= last["certificate"]["primal"]
    assert primal[-1] == pytest.approx(last["certificate"]["primal"], rel=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_copied_python_does_the_same(method):
    arrays, *_ = data_of(method)
    header, _ = ask("fit", header_of(method), arrays)
    text, _ = ask("python", header_of(method), arrays)
    space = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("ignore")
        exec(text["text"], space)
    proof = space["model"].certificate_
    if isinstance(proof, ModelCertificate):
        assert (proof.primal, proof.dual) == (header["certificate"]["primal"], header["certificate"]["dual"])
    else:
        assert proof.statement == header["certificate"]["statement"]
    assert printed.getvalue().startswith("Certificate")


def test_the_hard_margin_is_copied_as_infinity():
    text, _ = ask("python", header_of("svc", C="inf", kernel="linear"), example("two"))
    assert "C=np.inf" in text["text"]


@pytest.mark.parametrize("method", ["svc", "linear_svc", "svr"])
def test_cases_are_those_of_kkt_cases(method):
    arrays, X, y = data_of(method)
    session = Session(lambda *answer: None)
    ask("fit", header_of(method), arrays, session)
    header, found = ask("cases", {}, session=session)
    own = fitted(method, X, y).kkt_cases(X, y)
    assert header["words"] == list(own.words)
    for name in ("multiplier", "slack", "margin", "case", "sample", "problem"):
        assert np.array_equal(found[name], getattr(own, name))


def test_what_a_point_holds_up():
    arrays = example("two")
    session = Session(lambda *answer: None)
    _, found = ask("fit", header_of("svc", kernel="linear"), arrays, session)
    idle = int(np.flatnonzero(found["multiplier"] == 0)[0])
    busy = int(np.argmax(found["multiplier"]))
    nothing, _ = ask("without", {"point": idle}, session=session)
    something, _ = ask("without", {"point": busy}, session=session)
    assert nothing["moves"] < 1e-2 < something["moves"]


def test_several_classes():
    arrays = example("blobs", 60)
    session = Session(lambda *answer: None)
    for method in (name for name, it in METHODS.items() if it.task == CLASSES):
        header, found = ask("fit", header_of(method), arrays, session)
        assert header["classes"] == [0, 1, 2] and header["accuracy"] > 0.8
        assert "margin" not in found
    header, found = ask("fit", header_of("svc"), arrays, session)
    header, found = ask("cases", {}, session=session)
    assert len(header["problems"]) == 3 and len(found["sample"]) == 120


def test_a_probe_is_the_decision():
    arrays, X, y = data_of("svc")
    session = Session(lambda *answer: None)
    ask("fit", header_of("svc"), arrays, session)
    header, _ = ask("probe", {"place": [0.25, -0.5]}, session=session)
    assert header["f"] == fitted("svc", X, y).decision_function([[0.25, -0.5]]).tolist()


def test_impossible_is_proven():
    from maxmargin.playground._fit import explain_error

    with pytest.raises(ValueError) as refused:
        ask("fit", header_of("svc", C="inf", kernel="linear"), example("xor"))
    assert explain_error(refused.value)["kind"] == "impossible"


@pytest.mark.parametrize(
    ("points", "labels", "sentence"),
    [
        (np.empty((0, 2)), [], "no points yet"),
        ([[0, 0], [1, 1]], [0, 0], "of one class"),
    ],
)
def test_what_is_missing_is_said(points, labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        ask("fit", header_of("svc"), arrays_of(points, labels))


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("names", [True, False])
def test_tables_with_and_without_names_are_read(mark, names):
    rows = [["a", "b", "kind"]] * names + [["1", "2.5", "1"], ["3", "4", "2"], ["5", "7", "1"]]
    header, found = ask("table", {"text": "\n".join(mark.join(row) for row in rows)})
    assert header["axes"] == (["a", "b", "kind"] if names else ["x0", "x1", "x2"]) and header["rows"] == 3
    assert found["n1"].tolist() == [2.5, 4.0, 7.0] and header["words"][-1] == ["1", "2"]
