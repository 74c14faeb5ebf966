"""Every method of the page: its figures and steps are the library's, its Python does the same."""

import contextlib
import io
import warnings

import numpy as np
import pyarrow as pa
import pytest

from maxmargin.certificates import ModelCertificate
from maxmargin.playground import _presets
from maxmargin.playground._methods import CLASSES, CLUSTERS, CURVE, METHODS
from maxmargin.playground._table import columns_of
from maxmargin.playground._worker import Session

from .asking import arrays_of, ask, example, header_of

PRESET = {CLASSES: "moons", CLUSTERS: "blobs", CURVE: "sine"}
STEPPED = [name for name, method in METHODS.items() if method.steps]


def data_of(method):
    arrays = example(PRESET[METHODS[method].task])
    X, y = arrays["points"], arrays["labels"]
    return arrays, *((X[:, :1].copy(), X[:, 1].copy()) if METHODS[method].task == CURVE else (X, y))


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


@pytest.mark.parametrize("method", [name for name in STEPPED if METHODS[name].task == CLASSES])
def test_steps_of_several_classes_come_from_the_library(method):
    arrays = example("iris")
    X, y = arrays["points"], arrays["labels"]
    header, found = ask("course", header_of(method), arrays)
    assert found["steps"][-1] == header["last"] and header["curves"]
    middle = int(found["steps"][len(found["steps"]) // 2])
    at_step, _ = ask("fit", header_of(method, step=middle), arrays)
    it = METHODS[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        proof = it.make(it.keywords(it.values({}) | {"classes": 3}, middle)).fit(X, y).certificate_
    if isinstance(proof, ModelCertificate):
        assert at_step["certificate"]["primal"] == proof.primal
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


@pytest.mark.parametrize(("method", "step"), [*((name, None) for name in METHODS), *((name, 3) for name in STEPPED)])
def test_copied_python_does_the_same(method, step):
    arrays, *_ = data_of(method)
    header, _ = ask("fit", header_of(method, step), arrays)
    text, _ = ask("python", header_of(method, step), arrays)
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
    assert something["cells"] == [24, 20] and something["view"] == [-3, 3, -3, 3]


def test_what_a_point_holds_up_is_drawn_on_a_coarse_grid():
    """Two models predict it, which took seconds where thousands of points are on a fine one."""
    session = Session(lambda *answer: None)
    ask("fit", header_of("svc", cells=(190, 60)), example("two"), session)
    header, found = ask("without", {"point": 0}, session=session)
    assert header["cells"] == [96, 60] and found["values"].shape == (1, 60, 96)
    assert session.fitted.question.cells == (190, 60)


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
    said, proof = explain_error(refused.value), refused.value.proof
    assert said["kind"] == "impossible" and "error" not in said["message"]
    assert f"{len(proof.positive)} point" in said["message"] and f"{proof.distance:.2g} apart" in said["message"]


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


def columns(text):
    header, found = ask("table", {"text": text})
    return header, {name: found[f"n{k}"].tolist() for k, name in enumerate(header["axes"])}


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_decimal_commas_are_read_where_other_marks_divide(mark):
    _, found = columns(mark.join(["a", "b"]) + "\n" + mark.join(["1,5", "2"]) + "\n" + mark.join(["-3", "0,25"]))
    assert found == {"a": [1.5, -3.0], "b": [2.0, 0.25]}


def test_decimal_commas_do_not_look_like_names():
    header, found = columns("1,5;2\n2,5;3\n")
    assert header["rows"] == 2 and found == {"x0": [1.5, 2.5], "x1": [2.0, 3.0]}


@pytest.mark.parametrize("text", ["", "\ufeff", "\n \n", "\ufeff\n"])
def test_an_empty_table_is_said_to_be_one(text):
    with pytest.raises(ValueError, match="table is empty"):
        ask("table", {"text": text})


def test_columns_that_cannot_be_chosen_are_named():
    rows = "\n".join(f"{k},{k % 7},word {k},{'ab'[k % 2]}" for k in range(14))
    header, _ = ask("table", {"text": "a,b,who,kind\n" + rows})
    assert header["note"].startswith("Not to choose from: who. Axes are columns of numbers")
    header, _ = ask("table", {"text": "a,kind\n1,x\n2,y\n"})
    assert header["note"] == ""
    names = [f"c{k}" for k in range(44)]
    header, _ = columns_of(pa.table({name: np.arange(9) for name in names}))
    assert len(header["axes"]) == 40 and "c40, c41, c42 and 1 more" in header["note"]


def test_columns_that_blanks_divide_are_read():
    _, found = columns("x  y\n 1 2.5 \n10   4\n")
    assert found == {"x": [1.0, 10.0], "y": [2.5, 4.0]}


def test_quotes_and_marks_within_them_are_read():
    header, found = columns('"a; b","c ""d""",kind\n"1","2","x, y"\n3,4,z\n')
    assert found == {"a; b": [1.0, 3.0], 'c "d"': [2.0, 4.0]} and header["words"][-1] == ["x, y", "z"]


def test_missing_values_stay_empty_places():
    header, found = ask("table", {"text": "a,b,kind\n1,2,x\n,3,y\nNaN,4,\n5,inf,x\n"})
    assert np.array_equal(found["n0"], [1, np.nan, np.nan, 5], equal_nan=True)
    assert np.array_equal(found["n1"], [2, 3, 4, np.nan], equal_nan=True)
    assert found[f"c{header['groups'].index('kind')}"].tolist() == [0, 1, 255, 0] and header["texts"] == ["kind"]


def test_classes_that_are_numbers_are_in_their_order():
    header, _ = ask("table", {"text": "a,k\n1,10\n2,9\n3,2\n4,10\n5,2\n6,9\n7,2\n"})
    assert header["words"][header["groups"].index("k")] == ["2", "9", "10"]


@pytest.mark.parametrize("method", ["linear_svc", "gradient"])
def test_linear_machines_have_margins_and_slack(method):
    arrays, _, y = data_of(method)
    header, found = ask("fit", header_of(method, loss="hinge"), arrays)
    margin = np.where(y == 1, 1.0, -1.0) * found["f"][:, 0]
    assert np.array_equal(found["margin"], margin) and np.array_equal(found["slack"], np.maximum(0, 1 - margin))
    assert "margin_width" in header and "multiplier" not in found
    assert "margin" not in ask("fit", header_of("logistic"), arrays)[1]


def test_what_clusters_do_without_a_point():
    places = [[-2.0, 0], [-2.2, 0.1], [-1.8, 0], [2.0, 0], [2.2, 0.1], [8.0, 0]]
    session = Session(lambda *answer: None)
    ask("fit", header_of("kmeans", n_clusters=2), arrays_of(places, [0] * 6), session)
    labels = session.fitted.model.labels_
    header, _ = ask("without", {"point": 5}, session=session)
    again = METHODS["kmeans"].make(session.fitted.question.keywords).fit(np.array(places[:5]))
    same = [np.sum(again.labels_ != labels[:5]), np.sum(again.labels_ == labels[:5])]
    assert header["relabelled"] == min(same) and header["centres_move"] > 0.1
    ask("fit", header_of("ncut", n_clusters=2), arrays_of(places, [0] * 6), session)
    assert "centres_move" not in ask("without", {"point": 0}, session=session)[0]


def test_the_longest_of_several_problems_is_shown_step_by_step():
    arrays = example("iris")
    header, _ = ask("course", header_of("svc"), arrays)
    model = METHODS["svc"].make(METHODS["svc"].keywords(METHODS["svc"].values({}), 100_000) | {"trace": True})
    trace = model.fit(arrays["points"], arrays["labels"]).trace_
    assert header["problem"] in trace.problems and len(trace.problems) == 3
    assert header["last"] == max(trace["iteration"])


def test_a_fit_that_has_not_converged_says_so_without_advice_for_programs():
    header, _ = ask("fit", header_of("perceptron", max_iter=7), example("xor"))
    assert header["notes"] == ["Stopped after 7 epochs without having converged."]


@pytest.mark.parametrize("size", [1e-7, 1e8])
@pytest.mark.parametrize("method", METHODS)
def test_tiny_and_huge_coordinates_are_answered(method, size):
    points, labels = _presets.draw(PRESET[METHODS[method].task], 40)
    asked = header_of(method, **({"n_clusters": 1} if method == "ncut" else {}))
    asked |= {"view": [-3.0 * size, 3.0 * size, -3.0 * size, 3.0 * size]}
    if method == "ncut" and size > 1:  # nothing is similar to anything there, and the library says so
        with pytest.raises(ValueError, match="similarity"):
            ask("fit", asked, arrays_of(points * size, labels))
        return
    header, _ = ask("fit", asked, arrays_of(points * size, labels))
    assert header["certificate"] is not None


@pytest.mark.parametrize("points", [[[0, 0], [1, 1]], [[0, 0], [0, 0]], [[0, 0], [0, 0], [0, 0], [1, 0], [1, 0]]])
@pytest.mark.parametrize("method", METHODS)
def test_few_and_equal_points_are_answered_or_refused(method, points):
    labels = np.arange(len(points)) % 2
    few = {"n_neighbors": 1} if "knn" in method else {"n_clusters": 1} if METHODS[method].task == CLUSTERS else {}
    try:
        header, _ = ask("fit", header_of(method, **few), arrays_of(points, labels))
    except ValueError as error:
        assert str(error)
    else:
        assert header["certificate"] is not None
