"""What comes out of a file is what went in, to the last bit."""

import io
import os
import re
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from maxmargin.persistence import load, save

from .zoo import CASES, case

METHODS = [
    "predict",
    "decision_function",
    "predict_proba",
    "predict_log_proba",
    "score_samples",
    "transform",
    "apply",
    "kneighbors",
    "staged_predict",
    "prediction_cost",
    "get_feature_names_out",
]


def saved(model, tmp_path):
    save(model, tmp_path / "model.mm")
    return load(tmp_path / "model.mm")


def answers(model, method, X):
    """What a method says, None where the model has no such method, or none that answers."""
    if not hasattr(model, method):
        return None
    try:
        answer = model.get_feature_names_out() if method == "get_feature_names_out" else getattr(model, method)(X)
    except AttributeError:  # a pipeline whose last step has no names
        return None
    return list(answer) if method == "staged_predict" else answer


def assert_same(a, b):
    """Equal types, shapes, dtypes and bits."""
    if isinstance(a, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b)
        for left, right in zip(a, b, strict=True):
            assert_same(left, right)
    elif sp.issparse(a):
        assert type(a) is type(b) and a.shape == b.shape
        for name in ("data", "indices", "indptr"):
            assert_same(getattr(a, name), getattr(b, name))
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape
        assert (a == b).all() if a.dtype.kind in "OU" else a.tobytes() == b.tobytes()
    else:
        assert type(a) is type(b)
        assert a == b or a != a


@cache
def reloaded(name):
    """A case, and its model out of a file. Certificates that are computed when asked for are asked for first."""
    known = case(name)
    getattr(known.model, "certificate_", None)
    with TemporaryDirectory() as folder:
        return known, saved(known.model, Path(folder))


@pytest.mark.parametrize("name", list(CASES))
def test_answers_are_the_same_to_the_last_bit(name):
    known, again = reloaded(name)
    assert type(again) is type(known.model)
    heard = 0
    for method in METHODS:
        said = answers(known.model, method, known.rows)
        if said is not None:
            assert_same(said, answers(again, method, known.rows))
            heard += 1
    if known.y is not None and hasattr(known.model, "score") and np.ndim(known.y) == 1:
        assert again.score(known.X, known.y) == known.model.score(known.X, known.y)
    assert heard or hasattr(known.model, "labels_") or hasattr(known.model, "fit_resample")
    assert set(vars(again)) == set(vars(known.model))


@pytest.mark.parametrize("name", list(CASES))
def test_parameters_are_the_same_and_a_clone_is_made_of_them(name):
    known, again = reloaded(name)
    assert shown(again.get_params()) == shown(known.model.get_params())
    assert shown(clone(again).get_params()) == shown(clone(known.model).get_params())


def shown(params):
    """Parameters as text, without the addresses of objects."""
    return re.sub(r"0x[0-9A-Fa-f]+", "", repr(params))


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
@pytest.mark.parametrize("name", [name for name in CASES if name != "KNeighborsClassifier outputs"])
def test_certificate_comes_along_and_can_be_verified(name):
    known, again = reloaded(name)
    if not hasattr(known.model, "certificate_"):
        assert not hasattr(again, "certificate_")
        return
    claim = known.model.certificate_
    assert again.certificate_ == claim
    assert str(again.certificate_) == str(claim)
    found, expected = (model.certificate_.verify(known.X, known.y) for model in (again, known.model))
    assert type(found) is type(expected)
    assert without_time(found) == without_time(expected)


def without_time(certificate):
    return [line for line in str(certificate).splitlines() if "seconds" not in line]


def test_learners_of_an_ensemble_keep_their_own_certificates(tmp_path):
    known = case("BaggingClassifier of machines")
    again = saved(known.model, tmp_path)
    for learner, original in zip(again.estimators_, known.model.estimators_, strict=True):
        assert learner.certificate_ == original.certificate_
        assert learner.certificate_._recompute.__self__ is learner


def test_a_stream_goes_on_where_it_was(tmp_path):
    for name in ("LinearClassifier streamed", "KMeans streamed"):
        known = case(name)
        model, again = clone_by_file(known.model, tmp_path), saved(known.model, tmp_path)
        arguments = (known.X,) if known.y is None else (known.X, known.y)
        model.partial_fit(*arguments)
        again.partial_fit(*arguments)
        assert_same(model.predict(known.X), again.predict(known.X))


def clone_by_file(model, tmp_path):
    save(model, tmp_path / "other.mm")
    return load(tmp_path / "other.mm")


def test_a_generator_goes_on_where_it_was(tmp_path):
    model = case("SVC one vs rest").model
    again = saved(model, tmp_path)
    assert again.random_state is not model.random_state
    state, other = model.random_state.get_state(), again.random_state.get_state()
    assert all(np.array_equal(a, b) for a, b in zip(state, other, strict=True))


def test_same_model_gives_the_same_bytes_but_for_the_time(tmp_path):
    model = case("RandomForestClassifier").model
    for name in ("a.mm", "b.mm"):
        save(model, tmp_path / name)
    parts = []
    for name in ("a.mm", "b.mm"):
        with zipfile.ZipFile(tmp_path / name) as archive:
            parts.append(
                {n: archive.read(n) for n in archive.namelist() if n not in ("manifest.json", "provenance.json")}
            )
    assert parts[0] == parts[1]


def test_arrays_can_be_read_by_numpy(tmp_path):
    save(case("SVC").model, tmp_path / "model.mm")
    with zipfile.ZipFile(tmp_path / "model.mm") as archive:
        values = np.load(io.BytesIO(archive.read("arrays/float64.npy")), allow_pickle=False)
    vectors = case("SVC").model.support_vectors_.ravel()
    assert any(np.array_equal(values[i : i + len(vectors)], vectors) for i in range(len(values) - len(vectors) + 1))


def test_fortran_order_is_kept(tmp_path):
    model = case("Ridge two targets").model
    kept = model.coef_
    try:
        model.coef_ = np.asfortranarray(kept)
        again = saved(model, tmp_path)
    finally:
        model.coef_ = kept
    assert again.coef_.flags.f_contiguous and not again.coef_.flags.c_contiguous
    assert np.array_equal(again.coef_, kept)


def test_loading_takes_paths_as_text_and_as_objects(tmp_path):
    save(case("Ridge").model, str(tmp_path / "model.mm"))
    assert_same(load(str(tmp_path / "model.mm")).coef_, load(tmp_path / "model.mm").coef_)
    assert os.listdir(tmp_path) == ["model.mm"]


@pytest.mark.parametrize("name", ["SlidingWindow", "SlidingWindow of a machine"])
def test_a_detector_finds_the_same(name):
    known, again = reloaded(name)
    picture = np.random.default_rng(1).uniform(0, 0.3, (30, 40))
    picture[10:16, 20:28] += np.tri(6, 8)
    found, expected = again.detect(picture), known.model.detect(picture)
    assert len(expected)
    assert_same((found.boxes, found.scores), (expected.boxes, expected.scores))
    assert (found.windows, found.passed) == (expected.windows, expected.passed)
