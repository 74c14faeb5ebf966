"""Figures beside the certificate, frames of animations, and grids that float32 can hold."""

import contextlib
import io
import warnings

import numpy as np
import pytest

from maxmargin.playground._methods import CLASSES, CLUSTERS, CURVE, METHODS
from maxmargin.playground._worker import Session

from .asking import arrays_of, ask, example, header_of
from .test_answers import STEPPED, data_of, fitted


@pytest.mark.parametrize("method", METHODS)
def test_figures_beside_the_certificate_are_those_of_the_library(method):
    arrays, X, y = data_of(method)
    header, found = ask("fit", header_of(method), arrays)
    model, task = fitted(method, X, y), METHODS[method].task
    pieces = header["pieces"]
    if task == CLASSES:
        assert header["accuracy"] == np.mean(model.predict(X) == y)
        if "margin_width" in header:
            assert header["margin_width"] == np.atleast_1d(model.margin_width_).tolist()
    elif task == CURVE:
        assert header["squared_error"] == pytest.approx(np.mean((y - model.predict(X)) ** 2), rel=1e-12)
        assert header["r2"] == pytest.approx(model.score(X, y), rel=1e-12)
    elif hasattr(model, "cluster_centers_"):
        assert pieces["centres"] == model.cluster_centers_.tolist() and pieces["inertia"] == model.inertia_
    else:
        assert pieces["ncut"] == model.ncut_
    if hasattr(model, "support_"):
        assert header["support"] == len(model.support_)
    if hasattr(model, "prototype_indices_"):
        assert pieces["prototypes"] == model.prototype_indices_.tolist()
    if hasattr(model, "tree_"):
        tree = pieces["trees"][0]
        assert (tree["leaves"], tree["depth"]) == (model.tree_.n_leaves, model.tree_.max_depth)
        assert tree["threshold"] == model.tree_.threshold.tolist()
    if hasattr(model, "estimator_weights_"):
        assert [it["vote"] for it in pieces["learners"]] == list(model.estimator_weights_)
        assert [it["error"] for it in pieces["learners"]] == list(model.estimator_errors_)
    if "shares" in found:
        assert np.array_equal(found["shares"], model.predict_proba(X))


@pytest.mark.parametrize("method", ["logistic", "gradient"])
def test_probabilities_are_those_of_the_formula_that_the_page_shows(method):
    _, found = ask("fit", header_of(method), example("two"))
    p = 1 / (1 + np.exp(-found["f"][:, 0]))
    assert np.allclose(found["shares"][:, 1], p, rtol=1e-13, atol=0)


@pytest.mark.parametrize("method", [name for name in STEPPED if METHODS[name].steps.traced])
def test_curves_are_the_trace_of_the_library(method):
    arrays, X, y = data_of(method)
    header, found = ask("course", header_of(method), arrays)
    it = METHODS[method]
    keywords = it.keywords(it.values({}))
    keywords = it.keywords(it.values({}), keywords.get(it.steps.parameter, it.steps.most)) | {"trace": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = it.make(keywords).fit(X) if it.task == CLUSTERS else it.make(keywords).fit(X, y)
    trace = model.trace_
    rows = {int(number): row for row, number in enumerate(trace["iteration"])}  # the last one of each number
    for name in header["curves"]:
        own = [trace[name][rows[number]] for number in found["steps"]]
        assert np.array_equal(found[f"curve {name}"], own, equal_nan=True)


def test_a_frame_of_an_animation_leaves_the_model_that_is_asked_about():
    session, arrays = Session(lambda *answer: None), example()
    ask("fit", header_of("svc"), arrays, session)
    shown = session.fitted
    steps = ask("frames", header_of("svc"), arrays, session)[1]["steps"]
    frame, found = ask("frame", header_of("svc", step=int(steps[2])), arrays, session)
    assert frame["certificate"]["iterations"] == steps[2] and session.fitted is shown
    course = ask("course", header_of("svc"), arrays, session)[1]["steps"]
    assert np.array_equal(steps, course) and found["values"].shape == (1, 20, 24)


def test_what_float32_cannot_hold_is_as_large_as_can_be():
    size = 3e8
    places = size * np.random.default_rng(0).normal(size=(12, 2)).clip(-1, 1)
    asked = {**header_of("gradient", loss="squared_hinge"), "view": [-3 * size, 3 * size, -3 * size, 3 * size]}
    _, found = ask("fit", asked, arrays_of(places, [0, 1] * 6))
    assert np.abs(found["f"]).max() > 1e39 and np.isfinite(found["values"]).all()


@pytest.mark.parametrize("n", range(20, 60, 3))
@pytest.mark.parametrize("method", ["ridge", "polynomial"])
def test_copied_python_has_columns_as_the_page_had_them(method, n):
    """Sums of columns that lie otherwise in memory round otherwise."""
    arrays = example("line", n)
    header, _ = ask("fit", header_of(method), arrays)
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(ask("python", header_of(method), arrays)[0]["text"], space)
    assert space["model"].certificate_.statement == header["certificate"]["statement"]


def test_one_point_is_too_little_for_clusters():
    with pytest.raises(ValueError, match="One point cannot be cut"):
        ask("fit", header_of("ncut", n_clusters=1), arrays_of([[0, 0]], [0]))
    with pytest.raises(ValueError, match="There is 1 point, fewer than n_clusters=3"):
        ask("fit", header_of("kmeans"), arrays_of([[0, 0]], [0]))
