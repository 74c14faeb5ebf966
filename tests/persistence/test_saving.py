"""What cannot be saved, files that are whole or not there, and what is known of a model without loading it."""

import json
import os
import stat
import sys
import threading
import zipfile
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import maxmargin
from maxmargin.ensemble import BaggingClassifier
from maxmargin.linear_model import Ridge
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.persistence import ModelFileError, _container, _registry, load, read_provenance, save, to_onnx
from maxmargin.svm import SVC, SVCCV

from .zoo import LABEL, TARGET, TWO, X, case


def own_kernel(A, B):
    return np.asarray(A) @ np.asarray(B).T


class Own(BaseEstimator):
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(kernel=own_kernel), "SVC cannot be saved: kernel: is the function own_kernel"),
        (SVC(callback=print), "callback: is the function print"),
        (KNeighborsClassifier(weights=lambda d: 1 / (1 + d)), "weights: is the function <lambda>"),
        (SVCCV(Cs=[1.0], gammas=[1.0], cv=3, scoring=lambda m, X, y: m.score(X, y)), "scoring: is the function"),
        (make_pipeline(Own(), SVC()), r"steps\['own'\]: is an object of .*Own, a class"),
        (make_pipeline(FunctionTransformer(np.log1p), SVC()), r"steps\['functiontransformer'\].func: is"),
        (make_pipeline(StandardScaler(), SVC(), memory="cache"), "memory: keeps fits in a folder"),
        (BaggingClassifier(Own(), n_estimators=2), "estimator: is an object of"),
        (LinearRegression(), "LinearRegression, a class that model files have no place for"),
    ],
)
def test_what_cannot_be_saved_is_named(model, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model.fit(np.abs(X), TWO)
    with pytest.raises(ModelFileError, match=words):
        save(model, "model.mm")
    assert not os.path.exists("model.mm")


def test_attributes_of_the_user_are_named(tmp_path):
    model = Ridge().fit(X, TARGET)
    model.note = "mine"
    with pytest.raises(ModelFileError, match="note: is an attribute of Ridge that model files have no place for"):
        save(model, tmp_path / "model.mm")


def test_a_model_that_would_not_load_is_not_saved(tmp_path):
    model = SVC().fit(X, LABEL)
    model.dual_coef_ = model.dual_coef_ * np.nan
    with pytest.raises(ModelFileError, match="dual_coef_: must not hold NaN"):
        save(model, tmp_path / "model.mm")
    assert os.listdir(tmp_path) == []


def test_models_without_a_fit_are_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save(SVC(), tmp_path / "model.mm")


def test_a_value_that_contains_itself_is_refused(tmp_path):
    model = SVC().fit([[0.0], [1.0]], [0, 1])
    model.cache_size = []
    model.cache_size.append(model.cache_size)
    with pytest.raises(ModelFileError, match="nested too deeply"):
        save(model, tmp_path / "model.mm")


# ---------------------------------------------------------------- whole or not there


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "model.mm"
    save(case("Ridge").model, path)
    before = path.read_bytes()
    for broken in ("replace", "fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(os, broken, _no_room)
            with pytest.raises(OSError, match="no room"):
                save(case("SVC").model, path)
        assert os.listdir(tmp_path) == ["model.mm"]
        assert path.read_bytes() == before


def _no_room(*arguments):
    raise OSError("no room")


def test_an_interrupt_while_writing_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(stream, members):
        stream.write(b"PK")
        raise KeyboardInterrupt

    monkeypatch.setattr(_container, "_write_members", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(case("Ridge").model, tmp_path / "model.mm")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_permissions_are_those_of_any_new_file(tmp_path):
    path = tmp_path / "model.mm"
    (tmp_path / "plain").touch()
    save(case("Ridge").model, path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    path.chmod(0o640)
    save(case("Ridge").model, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="no such files")
@pytest.mark.parametrize("write", [save, to_onnx])
def test_links_devices_and_pipes_stay_what_they_are(write, tmp_path):
    if write is to_onnx:
        pytest.importorskip("onnx")
    model, link, pipe, real = case("Ridge").model, tmp_path / "link", tmp_path / "pipe", tmp_path / "model"
    write(model, os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    link.symlink_to(real)
    write(model, link)
    assert link.is_symlink() and real.is_file()
    os.mkfifo(pipe)
    piped = []
    reader = threading.Thread(target=lambda: piped.append(pipe.read_bytes()))
    reader.start()
    write(model, pipe)
    reader.join(timeout=60)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    if write is save:  # what went through a pipe loads
        real.write_bytes(piped[0])
        assert np.array_equal(load(real).coef_, model.coef_)
    else:
        assert piped == [real.read_bytes()]
    assert sorted(os.listdir(tmp_path)) == ["link", "model", "pipe"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(case("Ridge").model, tmp_path / "none" / "model.mm")


@pytest.mark.parametrize("write", [save, to_onnx])
def test_what_names_a_folder_is_refused(write, tmp_path):
    if write is to_onnx:
        pytest.importorskip("onnx")
    model = case("Ridge").model
    for path, words in ((f"{tmp_path}/model.mm/", "ends in a slash"), (f"{tmp_path}/", "is a folder")):
        with pytest.raises(IsADirectoryError, match=f"{path} {words}.*give the name of a file"):
            write(model, path)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write(model, tmp_path)
    assert not list(tmp_path.iterdir())


def test_no_member_is_a_pickle(tmp_path):
    save(case("Pipeline of a table").model, tmp_path / "model.mm")
    with zipfile.ZipFile(tmp_path / "model.mm") as archive:
        for name in archive.namelist():
            content = archive.read(name)
            assert content[:6] == b"\x93NUMPY" or json.loads(content) is not None


# ---------------------------------------------------------------- provenance


def test_provenance_tells_versions_class_parameters_and_time(tmp_path):
    path = tmp_path / "model.mm"
    given = {"data": {"rows": 50, "fingerprint": "abc"}, "scores": [0.5, None], "class": "mine is replaced"}
    save(case("Pipeline").model, path, provenance=given)
    facts = read_provenance(path)
    assert facts["data"] == given["data"] and facts["scores"] == given["scores"]
    assert facts["format"] == 2
    assert facts["class"] == "sklearn.pipeline.Pipeline"
    assert facts["versions"]["maxmargin"] == maxmargin.__version__
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["parameters"]["steps"][2][1]["parameters"]["kernel"] == "rbf"
    age = datetime.now(UTC) - datetime.fromisoformat(facts["created"])
    assert timedelta(0) <= age + timedelta(seconds=1) < timedelta(minutes=5)


def test_provenance_is_read_without_the_arrays(tmp_path):
    """A file whose arrays are damaged still tells what it is."""
    path = tmp_path / "model.mm"
    save(case("SVC").model, path)
    data = bytearray(path.read_bytes())
    data[data.index(case("SVC").model.support_vectors_.tobytes())] ^= 255
    path.write_bytes(bytes(data))
    assert read_provenance(path)["class"] == "maxmargin.svm.SVC"
    with pytest.raises(ModelFileError):
        load(path)


@pytest.mark.parametrize("given", [["a list"], "text", {"x": float("nan")}, {"x": object()}, {1: {2, 3}}])
def test_provenance_that_is_not_json_is_refused(given, tmp_path):
    with pytest.raises(ModelFileError, match="provenance"):
        save(case("Ridge").model, tmp_path / "model.mm", provenance=given)
    assert os.listdir(tmp_path) == []


# ---------------------------------------------------------------- the list of classes


def test_every_estimator_of_the_package_has_a_schema():
    from maxmargin import cluster, ensemble, linear_model, neighbors, svm, tables, tree

    for room in (svm, linear_model, neighbors, cluster, tree, ensemble, tables):
        for name in room.__all__:
            found = getattr(room, name)
            if isinstance(found, type) and issubclass(found, BaseEstimator):
                schema = _registry.schema_of(found)
                assert schema is not None and schema.name == f"{room.__name__}.{name}", name


def test_every_schema_is_tried():
    from .zoo import CASES

    tried = {type(case(name).model) for name in CASES}
    modules = set(_registry._ROOMS.values())
    known = {schema.make for module in modules for schema in _registry._schemas(module).values()}
    within = {type(part) for name in CASES for part in parts_of(case(name).model)}
    assert known <= tried | within, {make.__name__ for make in known - tried - within}


def parts_of(model):
    yield from getattr(model, "estimators_", [])
    yield getattr(model, "indicator_", None)
