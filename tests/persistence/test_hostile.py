"""Files that are damaged or made to do harm: each is refused by name, or gives a model that works."""

import io
import json
import re
import tracemalloc
import zipfile
from contextlib import nullcontext
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from maxmargin.ensemble import AdaBoostClassifier, BaggingClassifier
from maxmargin.persistence import ModelFileError, load, read_provenance, save
from maxmargin.tree import DecisionTreeClassifier

from .fuzz import judge, prepare
from .mutations import members, mutate, packed, resealed, unpacked, zipped
from .zoo import CASES, case


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.mm"


def written(name, path):
    save(case(name).model, path)
    return members(path.read_bytes())


def refused(path, words=None):
    """The error, which names the file."""
    with pytest.raises(ModelFileError, match=words) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


class Opened:
    """The model of a file to be edited: attributes as JSON, arrays as arrays; packed and sealed again at the end."""

    def __init__(self, name, path):
        self.path, self.parts = path, written(name, path)
        self.model = unpacked(self.parts)
        self.fitted = self.model["fitted"]

    def seal(self):
        self.path.write_bytes(packed(self.parts, self.model))


class Referring(Opened):
    """The same with references to arrays as they are in the file."""

    def __init__(self, name, path):
        super().__init__(name, path)
        self.model = json.loads(self.parts["model.json"])
        self.fitted = self.model["fitted"]

    def seal(self):
        text = json.dumps(self.model).encode()
        self.path.write_bytes(zipped(resealed({**self.parts, "model.json": text}).items()))


# ---------------------------------------------------------------- the container


def test_the_harness_itself_makes_files_that_load(path):
    opened = Opened("SVC", path)
    opened.seal()
    assert np.array_equal(load(path).predict(case("SVC").X), case("SVC").model.predict(case("SVC").X))


def test_damage_is_told_by_the_checksum(path):
    parts = written("SVC", path)
    for name in ("model.json", "provenance.json", "arrays/float64.npy"):
        wrong = bytearray(parts[name])
        wrong[-3] ^= 1
        path.write_bytes(zipped({**parts, name: bytes(wrong)}.items()))
        with pytest.raises(ModelFileError, match=rf"{name}.*checksum"):
            read_provenance(path) if name == "provenance.json" else load(path)


def test_a_newer_format_is_refused_in_a_sentence(path):
    parts = written("Ridge", path)
    manifest = json.loads(parts["manifest.json"]) | {"version": 3, "and": "more"}
    path.write_bytes(zipped({**parts, "manifest.json": json.dumps(manifest).encode()}.items()))
    refused(path, "format version 3, and this maxmargin reads versions up to 2")
    with pytest.raises(ModelFileError, match="newer maxmargin"):
        read_provenance(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello world" * 10, b"PK\x05\x06" + bytes(18), b"\x80\x04}."])
def test_what_is_no_zip_is_refused(path, content):
    path.write_bytes(content)
    refused(path, "model file")


def test_a_file_that_is_not_there_is_the_system_s_error(path):
    with pytest.raises(FileNotFoundError, match=re.escape(str(path))):
        load(path)


def test_every_truncation_is_refused(path):
    written("Ridge", path)
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        refused(path)


@pytest.mark.parametrize("name", ["../evil", "/evil", "arrays/../model.json", "model.json ", "arrays/object.npy", "x"])
def test_unknown_members_and_path_tricks_are_refused(path, name):
    parts = written("Ridge", path)
    path.write_bytes(zipped([*resealed(parts).items(), (name, b"")]))
    refused(path, "is no member of a model file")
    assert sorted(p.name for p in path.parent.iterdir()) == ["model.mm"]


def test_members_that_are_there_twice_are_refused(path):
    parts = written("Ridge", path)
    path.write_bytes(zipped([*parts.items(), ("model.json", parts["model.json"])]))
    refused(path, "model.json: is there twice")


def test_something_before_or_behind_the_zip_is_refused(path):
    written("Ridge", path)
    data = path.read_bytes()
    for content in (b"#!/bin/sh\n" + data, data + b"rest"):
        path.write_bytes(content)
        refused(path, "does not begin and end as a zip does")


def test_a_bomb_is_refused_before_it_goes_off(path):
    parts = written("Ridge", path)
    parts["arrays/float64.npy"] = bytes(2**27)
    path.write_bytes(zipped(resealed(parts).items(), zipfile.ZIP_DEFLATED))
    assert path.stat().st_size < 2**18
    tracemalloc.start()
    refused(path, "is compressed")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_encrypted_members_are_refused(path):
    written("Ridge", path)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(data))
    refused(path, "encrypted")


@pytest.mark.parametrize("field", [20, 24])
def test_sizes_beyond_the_file_are_refused(path, field):
    written("Ridge", path)
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + field : at + field + 4] = (2**31).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    refused(path)


# ---------------------------------------------------------------- JSON


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "nested too deeply"),
        (b"[" * 500 + b"]" * 500, "nested too deeply"),
        (b'{"class":1,"class":2}', "occurs twice"),
        (b'{"class":NaN}', "NaN is not a JSON number"),
        (b'{"class":1e999}', "beyond float64"),
        (b'{"class":' + b"9" * 5000 + b"}", "more than 64 bits"),
        (b'{"class":"\xff"}', "not JSON"),
        (b"", "not JSON"),
        (b"null", "the model needs no such member"),
    ],
)
def test_json_that_is_not_accepted(path, text, words):
    parts = written("Ridge", path)
    path.write_bytes(zipped(resealed({**parts, "model.json": text}).items()))
    refused(path, words)


# ---------------------------------------------------------------- arrays


def test_object_arrays_are_refused_and_nothing_is_unpickled(path):
    parts = written("Ridge", path)
    out = io.BytesIO()
    np.save(out, np.array([print], dtype=object), allow_pickle=True)
    parts["arrays/float64.npy"] = out.getvalue()
    path.write_bytes(zipped(resealed(parts).items()))
    refused(path, r"arrays/float64.npy: has \d+ bytes; the model needs \d+")
    size = len(written("Ridge", path)["arrays/float64.npy"])
    parts["arrays/float64.npy"] = out.getvalue()[:128].ljust(size, b"\0")
    path.write_bytes(zipped(resealed(parts).items()))
    refused(path, "arrays/float64.npy: does not begin as a vector")


def test_huge_counts_are_refused_before_room_is_made(path):
    for shape in ([2**61], [2**31, 2**31], [2**50], [10**9]):
        opened = Referring("Ridge", path)
        opened.fitted["coef_"]["shape"] = shape
        opened.seal()
        tracemalloc.start()
        refused(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2**21


def test_arrays_cannot_overlap(path):
    opened = Referring("SVC", path)
    opened.fitted["intercept_"]["at"] = 0
    opened.seal()
    refused(path, "begins at 0 instead of")


def test_values_that_nobody_refers_to_are_refused(path):
    opened = Referring("OneClassSVM", path)
    del opened.fitted["offset_"]
    opened.seal()
    refused(path, "bytes; the model needs")


# ---------------------------------------------------------------- classes


@pytest.mark.parametrize("name", ["os.system", "builtins.eval", "maxmargin.svm._svc.SVC", "sklearn.svm.SVC", 5, [], {}])
def test_classes_are_not_imported_by_name(path, name):
    opened = Opened("Ridge", path)
    opened.model["class"] = name
    opened.seal()
    refused(path, "which no model file may hold")


def test_another_class_does_not_fit_the_attributes(path):
    opened = Opened("SVC", path)
    opened.model["class"] = "maxmargin.svm.SVR"
    opened.seal()
    refused(path, "parameters that maxmargin.svm.SVR does not take")


def test_attributes_and_parameters_that_a_class_has_not(path):
    for part, words in (("fitted", "attributes that"), ("params", "parameters that")):
        opened = Opened("Ridge", path)
        opened.model[part]["__class__"] = 1
        opened.seal()
        refused(path, words)


def test_a_model_that_is_not_fitted_is_refused(path):
    opened = Opened("Ridge", path)
    opened.model["fitted"] = None
    opened.seal()
    refused(path, "not fitted")


@pytest.mark.parametrize(
    ("name", "parameter", "value", "words"),
    [
        ("SVC", "kernel", "no such", "kernel"),
        ("SVC", "degree", 10**6, "degree is above"),
        ("SVC", "degree", 10**12, "degree is above"),
        ("SVC", "C", -1.0, "C"),
        ("SVC", "tol", {"$float": "nan"}, "tol"),
        ("SVC", "n_jobs", 10**6, "n_jobs"),
        ("SVC", "n_jobs", 0, "n_jobs"),
        ("Pipeline", "memory", "/tmp/elsewhere", "memory"),
        ("KNeighborsClassifier tree", "n_neighbors", 10**6, "n_neighbors"),
        ("KNeighborsClassifier tree", "leaf_size", 2**60, "leaf_size"),
        ("PolynomialFeatures", "degree", 10**9, "degree"),
        ("PolynomialRegression", "degree", 10**9, "powers"),
        ("SVCCV", "scoring", "no such score", "scoring"),
    ],
)
def test_parameters_that_are_not_allowed(path, name, parameter, value, words):
    opened = Opened(name, path)
    opened.model["params"][parameter] = value
    opened.seal()
    refused(path, words)


# ---------------------------------------------------------------- relations


@pytest.mark.parametrize("config", [7, "pandas", {"transform": "no such"}, {"predict": "pandas"}])
def test_an_output_that_set_output_does_not_know(path, config):
    opened = Opened("KMeans", path)
    opened.fitted["_sklearn_output_config"] = config
    opened.seal()
    refused(path, "set_output knows|no value of a parameter")


def test_a_value_of_many_parts_is_refused_unread(path, monkeypatch):
    opened = Opened("SVC", path)
    opened.model["params"]["class_weight"] = [deepcopy(opened.model) for _ in range(5)]
    opened.seal()
    monkeypatch.setattr(type(case("SVC").model), "__repr__", lambda model: pytest.fail("it is written out"))
    refused(path, "class_weight: must be .*; found a list")


def test_weights_of_labels_that_are_no_classes(path):
    opened = Opened("DecisionTreeClassifier", path)
    opened.model["params"]["class_weight"] = {"$dict": [["no such", 1.0]]}
    opened.seal()
    refused(path)


def test_a_transformer_that_does_not_transform(path):
    opened, other = Opened("ColumnTransformer", path), Opened("SVC", path)
    opened.model["params"]["transformers"][0][1] = other.model
    opened.seal()
    refused(path, "must be a transformer; found SVC")


@pytest.mark.parametrize("name", ["DecisionStump", "DecisionTreeClassifier", "RandomForestRegressor"])
def test_more_columns_than_importances_have_room_for(path, name):
    opened = Opened(name, path)
    opened.fitted["n_features_in_"] = 2**31 - 1
    opened.seal()
    refused(path, "more than 16,777,216 columns|_categories|expected")


@pytest.mark.parametrize("container", ["default", "pandas", None])
def test_an_output_that_set_output_knows(path, container):
    model = clone(case("KMeans").model).fit(case("KMeans").X).set_output(transform=container)
    save(model, path)
    assert vars(load(path)).get("_sklearn_output_config") == vars(model).get("_sklearn_output_config")


@pytest.mark.parametrize(
    ("attribute", "place", "value", "words"),
    [
        ("support_", 0, -1, "support_: has values below 0"),
        ("support_", 0, len(case("SVC").X), "support_: has values above"),
        ("n_support_", 0, -1, "n_support_: has values below 0"),
        ("n_support_", 0, 2**31 - 1, "expected"),
        ("dual_coef_", 0, np.nan, "dual_coef_: must not hold NaN"),
        ("dual_coef_", 0, np.inf, "dual_coef_: must be finite"),
        ("support_vectors_", 3, np.nan, "support_vectors_: must not hold NaN"),
        ("classes_", 0, 5, "classes_: must hold distinct labels in rising order"),
        ("classes_", 1, 0, "classes_: must hold distinct labels in rising order"),
        ("class_weight_", 0, -1.0, "class_weight_: has values below 0"),
    ],
)
def test_values_of_a_support_vector_machine(path, attribute, place, value, words):
    opened = Opened("SVC", path)
    opened.fitted[attribute].flat[place] = value
    opened.seal()
    refused(path, words)


@pytest.mark.parametrize("size", [1e200, -1e300])
@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("SVC", "support_vectors_"),
        ("KernelRidge", "X_fit_"),
        ("KernelRidge sparse", "X_fit_"),
        ("KernelLogisticRegression", "X_fit_"),
        ("KernelPerceptron averaged", "X_fit_"),
        ("KernelEmbedding", "X_fit_"),
        ("Nystroem", "components_"),
    ],
)
def test_rows_that_no_prediction_could_be_made_with(path, name, attribute, size):
    """Their squares overflow: no fit takes them, and each row to predict would be refused."""
    opened = Opened(name, path)
    rows = opened.fitted[attribute]
    (rows["data"] if isinstance(rows, dict) else rows).flat[0] = size
    opened.seal()
    refused(path, "X has values so large that the squared length of a row or its kernel value overflows")


def test_sizes_must_agree(path):
    for n_features, shape in ((3, [50, 4]), (4, [50, 3]), (3, [50, 3])):
        opened = Opened("SVC", path)
        opened.fitted |= {"n_features_in_": n_features, "shape_fit_": shape}
        opened.seal()
        refused(path, "support_vectors_: side 1.*is 4; expected 3" if n_features == shape[1] else "shape_fit_")


def test_a_certificate_of_another_number_of_problems(path):
    opened = Opened("SVC", path)
    del opened.fitted["certificate_"][0]
    opened.seal()
    refused(path, "number of certificates is 2; expected 3")


@pytest.mark.parametrize(
    ("part", "place", "value", "words"),
    [
        ("indices", 0, -1, "indices: has values below 0"),
        ("indices", 0, 4, "indices: has values above 3"),
        ("indptr", 0, 1, "indptr: must rise"),
        ("indptr", 1, 2**30, "indptr: must rise"),
        ("indptr", -1, 10**6, "indptr: must rise"),
        ("data", 0, np.inf, "data: must be finite"),
    ],
)
def test_sparse_rows(path, part, place, value, words):
    opened = Opened("SVC sparse", path)
    opened.fitted["support_vectors_"][part][place] = value
    opened.seal()
    refused(path, words)


TREES = ["DecisionTreeClassifier", "RandomForestClassifier"]


def tree_of(opened):
    return opened.fitted["tree_"] if "tree_" in opened.fitted else opened.fitted["estimators_"][0][1]


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(
    ("part", "place", "value", "words"),
    [
        ("children_left", 0, 0, "must be numbers of later nodes"),  # its own child: a walk without end
        ("children_left", 0, 10**6, "must be numbers of later nodes"),
        ("children_left", 0, 2**62, "must be numbers of later nodes"),
        ("children_left", 0, -5, "below -1"),
        ("children_left", 0, -1, "nodes, of which"),
        ("feature", 0, 4, "must be columns from 0 to 3"),
        ("feature", 0, -1, "must be columns from 0 to 3"),
        ("feature", 0, 2**40, "must be columns from 0 to 3"),
        ("threshold", 0, np.nan, "must not be NaN"),
        ("subset", 0, 0, "must be rows of subsets"),
        ("subset", 0, 2**40, "must be rows of subsets"),
        ("value", 0, np.nan, "NaN"),
        ("value", 0, -1.0, "below 0"),
        ("weighted_n_node_samples", 0, -1.0, "below 0"),
    ],
)
def test_nodes_of_trees(path, name, part, place, value, words):
    opened = Opened(name, path)
    tree_of(opened)[part].flat[place] = value
    opened.seal()
    refused(path, words)


@pytest.mark.parametrize("name", TREES)
def test_every_child_belongs_to_one_parent(path, name):
    opened = Opened(name, path)
    left = tree_of(opened)["children_left"]
    inner = np.flatnonzero(left >= 0)
    left[inner[0]] = left[inner[1]]
    opened.seal()
    refused(path, "children_left")


def test_the_depth_of_a_tree_is_counted(path):
    opened = Opened("DecisionTreeClassifier", path)
    tree_of(opened)["max_depth"] += 1
    opened.seal()
    refused(path, "claims a depth of")


def test_splits_by_category_need_categories(path):
    """A table of 256 bits would be asked for the bit of any number that a user gives."""
    opened = Opened("DecisionTreeClassifier categories", path)
    assert (tree_of(opened)["subset"] >= 0).any()
    opened.fitted["_categories"] = None
    opened.seal()
    refused(path, "split by category on a column that has none")


def test_no_more_categories_than_bits(path):
    opened = Opened("DecisionTreeClassifier categories", path)
    opened.fitted["_categories"]["of"][0][1] = {"$objects": [f"c{i}" for i in range(300)], "shape": [300]}
    opened.seal()
    refused(path, "at most 25[0-9] categories")


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [("left_child", 0, "later nodes"), ("left_child", 10**6, "later nodes"), ("feature", 99, "must be columns")],
)
def test_nodes_of_their_trees(path, part, value, words):
    opened = Opened("AdaBoostRegressor their trees", path)
    opened.fitted["estimators_"][0]["fitted"]["tree_"][part].flat[0] = value
    opened.seal()
    refused(path, words)


def test_stumps_look_at_columns_and_say_classes_that_are_there(path):
    for attribute, value in (("feature_", 4), ("feature_", -2), ("feature_", 2**40)):
        opened = Opened("AdaBoostClassifier", path)
        opened.fitted["estimators_"][1]["fitted"][attribute] = value
        opened.seal()
        refused(path, "feature_: must be a whole number from -1 to 3")
    opened = Opened("AdaBoostClassifier", path)
    opened.fitted["estimators_"][1]["fitted"]["_leaves"].flat[0] = 3
    opened.seal()
    refused(path, "_leaves: has values above 2")


def test_learners_know_no_other_classes(path):
    opened = Opened("AdaBoostClassifier trees", path)
    opened.fitted["estimators_"][0]["fitted"]["classes_"].flat[2] = 9
    opened.seal()
    refused(path, "classes that the ensemble has not")


def test_labels_of_neighbours_are_classes(path):
    for value in (-1, 3):
        opened = Opened("KNeighborsClassifier", path)
        opened.fitted["_labels"].flat[0] = value
        opened.seal()
        refused(path, "_labels|labels")


def test_categories_of_an_encoder_rise(path):
    """A number that is looked up in vain would get a column beyond the last."""
    opened = Opened("OneHotEncoder numbers", path)
    opened.fitted["categories_"][0][0] = 1e9
    opened.seal()
    refused(path, "must be distinct, and rise")


def test_steps_of_a_pipeline_fit_each_other(path):
    opened = Opened("Pipeline", path)
    more = {"class": "sklearn.preprocessing.PolynomialFeatures", "params": {}, "fitted": {"n_features_in_": 4}}
    opened.model["params"]["steps"].insert(1, ["more", more])
    opened.seal()
    refused(path, r"steps\['pca'\]: takes 4 columns; the step before it gives 15")


def test_transformers_of_columns_know_which(path):
    opened = Opened("Pipeline of named columns", path)
    inputs = opened.model["params"]["steps"][0][1]["fitted"]["_transformer_to_input_indices"]
    inputs[0][0] = "another"
    opened.seal()
    refused(path, "not those that it was given")


def test_columns_are_numbers_or_names_or_a_mask(path):
    """scikit-learn refused a mix of them when the model was asked."""
    opened = Opened("Pipeline of columns", path)
    chosen = opened.model["params"]["steps"][0][1]["fitted"]["transformers_"][0]
    chosen[2] = [False, *chosen[2][1:]]
    opened.seal()
    refused(path, "numbers, names or a mask, and not some of each")


def _by_name(frames):
    """A pipeline that chooses columns by name after a step of its own, which gives data frames or not."""
    X, y = case("Pipeline of named columns").X, case("Pipeline of named columns").y
    numbers = X.columns[[X[name].dtype.kind == "f" for name in X]].tolist()
    chosen = ColumnTransformer([("n", StandardScaler(), numbers[:1])], verbose_feature_names_out=False)
    model = make_pipeline(SimpleImputer(), chosen, DecisionTreeClassifier(max_depth=2))
    with config_context(transform_output="pandas") if frames == "setting" else nullcontext():
        if frames == "set_output":
            model.set_output(transform="pandas")
        return model.fit(X[numbers], y), X[numbers]


def test_names_of_columns_after_data_frames(path):
    """The parts that set_output has seen, though they are not fitted, could not be saved either."""
    model, X = _by_name("set_output")
    save(model, path)
    assert_array_equal(load(path).predict(X), model.predict(X))


def test_names_of_columns_after_arrays(path):
    """scikit-learn would refuse all rows."""
    model, X = _by_name("setting")
    with config_context(transform_output="pandas"):
        save(model, path)
        assert_array_equal(load(path).predict(X), model.predict(X))
    refused(path, r"steps\['columntransformer'\]: chooses columns by name, and the step before it gives arrays")
    with pytest.raises(ModelFileError, match=r"cannot be saved.*chooses columns by name"):
        save(model, path)


@pytest.mark.parametrize("steps", [("passthrough",), (FunctionTransformer(),), (Pipeline([("a", "passthrough")]),)])
def test_names_of_columns_after_what_passes_them_on(path, steps):
    model, X = _by_name("set_output")
    chosen, tree = (clone(step) for _, step in model.steps[1:])
    passed = make_pipeline(*steps, chosen.set_output(transform="default"), tree)
    passed.fit(X, case("Pipeline of named columns").y)
    save(passed, path)
    assert_array_equal(load(path).predict(X), passed.predict(X))


def _first_step(opened):
    return opened.model["params"]["steps"][0][1]


@pytest.mark.parametrize(
    "form",
    [
        "{feature_name:>1000000000}",
        "{feature_name.__class__}",
        "{feature_name!r}",
        "{0}",
        "{",
        "{feature_name}" * 9,
        "x" * 257,
    ],
)
def test_forms_of_names_that_do_more_than_name(path, form):
    """A width of 10^9 took 12 GB when the model was asked for one row."""
    opened = Opened("Pipeline of named columns", path)
    _first_step(opened)["params"]["verbose_feature_names_out"] = form
    opened.seal()
    refused(path, "must be a short text with {transformer_name} and {feature_name}")


def test_forms_of_names(path):
    opened = Opened("Pipeline of named columns", path)
    _first_step(opened)["params"]["verbose_feature_names_out"] = "{feature_name} of {transformer_name}"
    opened.seal()
    assert load(path).steps[0][1].get_feature_names_out()[0] == "length of n"


@pytest.mark.parametrize("jobs", [-1, 2, 40])
def test_processes_are_no_part_of_a_model(path, jobs):
    """joblib started as many as the file said, for one row."""
    opened = Opened("Pipeline of named columns", path)
    _first_step(opened)["params"]["n_jobs"] = jobs
    opened.seal()
    model = load(path)
    assert model.steps[0][1].n_jobs is None
    save(model.set_params(columntransformer__n_jobs=jobs), path)
    assert load(path).steps[0][1].n_jobs is None


@pytest.mark.parametrize("jobs", [0, "2", True, 2**40])
def test_no_number_of_processes(path, jobs):
    opened = Opened("Pipeline of named columns", path)
    _first_step(opened)["params"]["n_jobs"] = jobs
    opened.seal()
    refused(path, "n_jobs")


@pytest.mark.parametrize("factor", ["x", [1, 2, 3], {"$float": "inf"}, {"$float": "nan"}])
def test_weights_of_transformers_are_numbers(path, factor):
    opened = Opened("Pipeline of named columns", path)
    _first_step(opened)["params"]["transformer_weights"] = {"$dict": [["n", factor]]}
    opened.seal()
    refused(path, "must be finite numbers")


@pytest.mark.parametrize("name", ["Pipeline of columns", "Pipeline of a table", "Pipeline of named columns"])
def test_transformers_whose_columns_were_taken_away(path, name):
    """What they gave was missing after them, whatever the rows."""
    opened = Opened(name, path)
    step = next(step for _, step in opened.model["params"]["steps"] if step["class"].endswith("ColumnTransformer"))
    step["fitted"]["transformers_"][0][2] = []
    opened.seal()
    refused(path, "chooses other columns than list")
    step["fitted"]["_transformer_to_input_indices"][0][1] = []
    opened.seal()
    refused(path, "not those that its transformers give|was fitted on other columns than it is given")


def test_ranges_that_belong_to_no_transformer(path):
    opened = Opened("Pipeline of named columns", path)
    ranges = _first_step(opened)["fitted"]["output_indices_"]
    ranges.append(["another", 0, 1])
    opened.seal()
    refused(path, "not those that its transformers give")


def test_what_passes_columns_on_is_a_transformer_after_the_fit(path):
    """scikit-learn asked the text for its transform."""
    opened = Opened("Pipeline of named columns", path)
    _first_step(opened)["fitted"]["transformers_"][0][1] = "passthrough"
    opened.seal()
    refused(path, "must be fitted; found 'passthrough'")


def test_a_sparse_result_of_dense_parts(path):
    frame = case("Pipeline of named columns").X
    model = ColumnTransformer([("a", StandardScaler(), ["length"]), ("b", StandardScaler(), ["width"])]).fit(frame)
    save(model, path)
    assert_array_equal(load(path).transform(frame), model.transform(frame))
    model.sparse_output_ = True
    with pytest.raises(ModelFileError, match="no transformer that gives a sparse one"):
        save(model, path)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_sparse_rows_in_data_frames(path, container):
    """scikit-learn would refuse all rows."""
    opened = Opened("OneHotEncoder", path)
    assert opened.model["params"]["sparse_output"]
    opened.fitted["_sklearn_output_config"] = {"$dict": [["transform", container]]}
    opened.seal()
    refused(path, "gives sparse rows, which data frames and the dtype object have no place for")


def test_sparse_rows_of_objects(path):
    opened = Opened("OneHotEncoder", path)
    opened.model["params"]["dtype"] = ["type", "object"]
    opened.seal()
    refused(path, "gives sparse rows, which data frames and the dtype object have no place for")


def _framed(path):
    """A file of a pipeline whose column transformer gives data frames."""
    X, y = case("Pipeline of named columns").X, case("Pipeline of named columns").y
    numbers = X.columns[[X[name].dtype.kind == "f" for name in X]].tolist()
    chosen = ColumnTransformer([("n", StandardScaler(), numbers[:2]), ("m", "passthrough", numbers[1:2])])
    model = make_pipeline(chosen, DecisionTreeClassifier(max_depth=2)).set_output(transform="pandas")
    save(model.fit(X[numbers], y), path)
    assert_array_equal(load(path).predict(X[numbers]), model.predict(X[numbers]))
    return Written(path)


class Written(Opened):
    """A file that is there already."""

    def __init__(self, path):
        self.path, self.parts = path, members(path.read_bytes())
        self.model = unpacked(self.parts)
        self.steps = [step for _, step in self.model["params"]["steps"]]


def test_columns_of_data_frames_are_those_of_the_next_step(path):
    """They loaded, and scikit-learn refused every row: feature names should match."""
    opened = _framed(path)
    opened.steps[1]["fitted"]["feature_names_in_"]["$strings"][0] += 1  # its first letter
    opened.seal()
    refused(path, "was fitted on other columns than the step before it gives")


@pytest.mark.parametrize("form", [False, "same"])
def test_columns_of_data_frames_have_names_of_their_own(path, form):
    opened = _framed(path)
    opened.steps[0]["params"]["verbose_feature_names_out"] = form
    opened.seal()
    refused(path, "names of their own|other columns than the step before it gives")


def test_columns_of_a_part_are_those_that_it_was_fitted_on(path):
    opened = _framed(path)
    scaler = opened.steps[0]["fitted"]["transformers_"][0][1]["fitted"]
    scaler["feature_names_in_"]["$strings"][0] += 1
    opened.seal()
    refused(path, "was fitted on other columns than it is given")


def test_numbers_of_columns_are_those_that_are_chosen(path):
    opened = _framed(path)
    listed = opened.steps[0]["fitted"]["_transformer_to_input_indices"]
    listed[0][1] = listed[0][1][::-1]
    opened.seal()
    refused(path, "chooses other columns than")


@pytest.mark.parametrize("ensemble", [AdaBoostClassifier, BaggingClassifier])
def test_learners_that_choose_columns_by_name(path, ensemble):
    """Ensembles give their learners arrays."""
    frame, label = case("Pipeline of named columns").X, case("Pipeline of named columns").y
    X = np.random.default_rng(0).normal(size=(len(label), frame.shape[1]))
    learner = make_pipeline(ColumnTransformer([("n", StandardScaler(), [0])]), DecisionTreeClassifier(max_depth=1))
    model = ensemble(estimator=learner, n_estimators=2, random_state=0).fit(X, label)
    save(model, path)
    for one in model.estimators_:
        step = one.steps[0][1]
        step.feature_names_in_ = np.array(list("abcdefgh")[: X.shape[1]], dtype=object)
        step.transformers_[0] = (*step.transformers_[0][:2], ["a"])
    with pytest.raises(ModelFileError, match="chooses columns by name, and is given arrays"):
        save(model, path)


def test_arguments_of_a_function_that_is_not_there(path):
    opened = Opened("FunctionTransformer", path)
    opened.model["params"]["kw_args"] = {"$dict": [["a", 1]]}
    opened.seal()
    refused(path, "arguments for functions")


def test_arguments_of_a_kernel_that_takes_none(path):
    opened = Opened("KernelRidge", path)
    opened.model["params"]["kernel_params"] = {"$dict": [["a", 1]]}
    opened.seal()
    refused(path, "arguments for a function")


def test_a_metric_is_no_kernel(path):
    opened, kernel = Opened("KNeighborsClassifier", path), other("KernelRidge sparse")["params"]["kernel"]
    opened.model["params"]["metric"] = kernel
    opened.seal()
    refused(path, "its metric has no name")


def test_steps_before_the_last_are_transformers(path):
    opened = Opened("Pipeline with nothing", path)
    opened.model["params"]["steps"].append(["after", "passthrough"])
    opened.seal()
    refused(path, "must be transformers, but for the last one")


# ---------------------------------------------------------------- what loads can answer


def test_a_tree_without_classes(path):
    for name in ("DecisionTreeClassifier leaves", "AdaBoostClassifier their trees"):
        opened = Opened(name, path)
        fitted = opened.fitted if "tree_" in opened.fitted else opened.fitted["estimators_"][0]["fitted"]
        fitted["classes_"] = np.zeros(0, dtype=np.int64)
        values = "value" if "value" in fitted["tree_"] else "values"
        fitted["tree_"][values] = fitted["tree_"][values][:, :, :0]
        opened.seal()
        refused(path, "has no classes")


def other(name):
    """The node of another model, fitted."""
    from maxmargin.persistence._recursion import completed
    from maxmargin.persistence._registry import object_node

    return completed(object_node(case(name).model, ""))


@pytest.mark.parametrize(
    ("name", "learner", "words"),
    [
        ("AdaBoostClassifier trees", "LabelEncoder", "is no classifier"),
        ("AdaBoostClassifier trees", "Ridge", "is no classifier"),
        ("AdaBoostRegressor", "StandardScaler", "is no regressor"),
        ("AdaBoostRegressor", "LabelEncoder", "is no regressor"),
        ("AdaBoostRegressor", "Ridge two targets", "predicts more than one target"),
        ("AdaBoostRegressor", "KernelRidge two targets", "predicts more than one target"),
        ("BaggingRegressor", "MinMaxScaler", "is no regressor"),
        ("BaggingRegressor", "Ridge two targets", "has learners of different kinds"),
        ("BaggingClassifier", "LabelEncoder", "is no classifier"),
        ("BaggingClassifier", "SVC", "has learners of different kinds"),
    ],
)
def test_learners_are_such_that_an_ensemble_can_ask(path, name, learner, words):
    opened = Opened(name, path)
    opened.fitted["estimators_"][-1] = other(learner)
    opened.seal()
    refused(path, words)


def test_a_learner_may_be_an_ensemble_of_learners_of_two_targets(path):
    opened, bags = Opened("AdaBoostRegressor", path), other("BaggingRegressor")
    bags["fitted"]["estimators_"] = [other("Ridge two targets") for _ in bags["fitted"]["estimators_"]]
    bags["params"]["estimator"] = None
    opened.fitted["estimators_"][-1] = bags
    opened.seal()
    refused(path, "predicts more than one target")


@pytest.mark.parametrize("name", ["OneClassSVM", "LinearSVC", "KernelRidge", "KernelLogisticRegression two"])
def test_a_model_has_a_certificate_at_least(path, name):
    opened = Opened(name, path)
    opened.fitted["certificate_"] = []
    opened.seal()
    refused(path, "holds no certificate")


def test_kernel_models_without_training_rows(path):
    opened = Opened("KernelRidge", path)
    opened.fitted["X_fit_"] = opened.fitted["X_fit_"][:0]
    opened.fitted["dual_coef_"] = opened.fitted["dual_coef_"][:0]
    opened.seal()
    refused(path, "has no training rows")


def test_the_degree_of_a_polynomial_is_whole(path):
    opened = Opened("KernelRidge", path)
    opened.model["params"] |= {"kernel": "poly", "degree": 2.5}
    opened.seal()
    refused(path, "no whole number")


def test_an_ensemble_is_of_copies_of_what_it_was_given(path):
    opened = Opened("BaggingClassifier of machines", path)
    opened.model["params"]["estimator"] = other("KNeighborsClassifier")
    opened.seal()
    refused(path, "has learners of different kinds")


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("KNeighborsClassifier", "n_neighbors"),
        ("KNeighborsClassifier", "leaf_size"),
        ("KNeighborsRegressor", "p"),
        ("SVC", "C"),
        ("SVC", "degree"),
        ("RandomForestClassifier", "n_estimators"),
        ("KMeans", "n_clusters"),
    ],
)
def test_true_is_no_number(path, name, parameter):
    for value in (True, {"$scalar": np.array([True])}):
        opened = Opened(name, path)
        opened.model["params"][parameter] = value
        opened.seal()
        refused(path, f"{parameter}: must not be a truth value")


def test_truth_values_where_they_are_asked_for(path):
    opened = Opened("SVC", path)
    opened.model["params"] |= {"shrinking": False, "verbose": True, "probability": False}
    opened.seal()
    assert load(path).verbose is True


@pytest.mark.parametrize("name", ["RandomForestClassifier", "BaggingClassifier"])
def test_bags_of_more_draws_than_memory(path, name):
    for draws in (2**31, 2**30, 2**17):
        opened = Opened(name, path)
        bags = opened.fitted["_bags"]
        bags.get("bags", bags)["draws"] = draws
        opened.seal()
        refused(path, "draws: must be a whole number from 1 to 65536")


def test_repetitions_are_whole_numbers(path):
    opened = Opened("RandomForestClassifier", path)
    bags = opened.fitted["_bags"]
    bags |= {"sums": np.linspace(0.1, 0.9, len(bags["order"])), "whole": True}
    opened.seal()
    refused(path, "sums of repetitions that are whole numbers")


def test_parts_of_an_imputer_and_encoders_of_labels_are_no_steps(path):
    opened = Opened("SimpleImputer", path)
    indicator = opened.fitted["indicator_"]
    opened.model.update(indicator)
    opened.seal()
    refused(path, "of no use by itself")
    for part, words in ((other("LabelEncoder"), "takes labels and not columns"), (indicator, "of no use by itself")):
        opened = Opened("Pipeline", path)
        opened.model["params"]["steps"][0][1] = part
        opened.seal()
        refused(path, words)


def test_steps_behind_nothing_fit_each_other(path):
    """A pipeline that begins with "passthrough" takes what its first estimator takes."""
    opened = Opened("BaggingClassifier of pipelines", path)
    steps = opened.fitted["estimators_"][0]["params"]["steps"]
    steps[:] = [["nothing", "passthrough"], ["scaler", other("PolynomialFeatures")], steps[1]]
    opened.seal()
    refused(path, "takes")


def test_clusters_of_fewer_rows_than_clusters(path):
    opened = Opened("SpectralClustering", path)
    for name, value in opened.fitted.items():
        if isinstance(value, np.ndarray):
            opened.fitted[name] = value[:0, :0] if name == "affinity_matrix_" else value[:0]
    opened.seal()
    refused(path, "fewer rows than clusters")


def test_columns_that_a_file_claims_take_no_room(path):
    """Powers are counted again for as many columns: 7 MB of zeros, if they were laid out."""
    opened = Opened("PolynomialFeatures", path)
    opened.model["params"] |= {"degree": 1, "interaction_only": False}
    opened.fitted["n_features_in_"] = 900_000
    opened.seal()
    tracemalloc.start()
    load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22


# ---------------------------------------------------------------- limits


def surrounded(model, times, name="x"):
    for _ in range(times):
        model = {"class": "sklearn.pipeline.Pipeline", "params": {"steps": [[name, model]]}, "fitted": None}
    return model


def test_estimators_inside_estimators(path):
    opened = Opened("StandardScaler", path)
    scaler = opened.model
    for times, name in ((7, "x"), (7, "y" * 100_000)):
        opened.model = surrounded(scaler, times, name)
        opened.seal()
        assert load(path).transform(case("StandardScaler").X).shape == case("StandardScaler").X.shape
    for times, name in ((8, "x"), (43, "z" * 100_000)):
        opened.model = surrounded(scaler, times, name)
        opened.seal()
        assert len(str(refused(path, "inside more than 7 others, which is the limit"))) < 1500 + len(str(path))


@pytest.mark.parametrize(
    "node",
    [
        {"class": "maxmargin.svm.SVC", "params": {}, "fitted": None},
        {"$splitter": "KFold", "params": {}},
        {"class": "os.system", "params": {}, "fitted": None},
    ],
)
def test_objects_of_a_file_are_counted(path, node):
    opened = Opened("Ridge", path)
    opened.model["params"]["alpha"] = [node] * 2**14
    opened.seal()
    refused(path, "which no model file may hold" if node.get("class") == "os.system" else "more than 16384 estimators")
    opened.model["params"]["alpha"] = {"$tuple": [{"$tuple": []}, {"$slice": [0, 1, 2]}]}
    opened.seal()
    assert load(path).alpha == ((), slice(0, 1, 2))  # what is no object is not counted, and predictions do not read it


def test_places_are_put_into_words_for_errors_alone(path, monkeypatch):
    """Words for every place took 49 s for nested steps with long names."""
    opened = Opened("Pipeline of columns", path)
    opened.model = surrounded(opened.model, 3, "n" * 50_000)
    opened.seal()
    said = []
    monkeypatch.setattr("maxmargin.persistence._errors.Place.__str__", lambda place: said.append(1) or "here")
    load(path)
    assert said == []


@pytest.mark.parametrize("value", [b"[]", b'{"":0}', b"0"])
def test_values_without_number(path, value):
    parts = written("Ridge", path)
    many = (15 * 10**6) // (len(value) + 1)
    text = b"[" + b",".join([value] * many) + b"]"
    path.write_bytes(zipped(resealed({**parts, "model.json": text}).items()))
    tracemalloc.start()
    refused(path, r"model.json: has \d+ commas and colons; at most 1048576 are allowed")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**26


@pytest.mark.parametrize("name", ["model.json", "provenance.json"])
def test_depth_is_limited_in_every_member(path, name):
    parts = written("Ridge", path)
    text = b'{"a":' * 300 + b"0" + b"}" * 300
    path.write_bytes(zipped(resealed({**parts, name: text}).items()))
    with pytest.raises(ModelFileError, match=f"{name}: is nested too deeply; at most 200 levels"):
        read_provenance(path) if name == "provenance.json" else load(path)


def test_long_texts_and_long_complaints(path):
    opened = Opened("SVC", path)
    opened.model["params"]["kernel"] = "k" * 900_000
    opened.seal()
    assert len(str(refused(path, "kernel"))) < 1500 + len(str(path))
    opened.model["params"]["kernel"] = "k" * (2**20 + 1)
    opened.seal()
    refused(path, "is a text of 1048577 characters; at most 1048576 are allowed")


# ---------------------------------------------------------------- many


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    prepare(folder, ",".join(SOME))
    return folder


SOME = ["SVC words", "SVC sparse", "DecisionTreeClassifier", "RandomForestClassifier", "AdaBoost", "OneHotEncoder"]


def test_mutations_are_refused_or_give_a_model_that_answers(files, path):
    names = [name for name in CASES if name.startswith(tuple(SOME))]
    known = {name: ((files / f"{name}.mm").read_bytes(), (case(name).X, case(name).y)) for name in names}
    seen = {"refused": 0, "answers": 0}
    for name in names:  # what is imported and compiled counts for nothing
        load(files / f"{name}.mm")
    for number in range(400):
        rng = np.random.default_rng([11, number])
        data, rows = known[names[int(rng.integers(len(names)))]]
        kind, mutated = mutate(data, rng, [data for data, _ in known.values()])
        path.write_bytes(mutated)
        outcome, peak = judge(path, rows)
        assert outcome in seen, (number, kind, outcome)
        assert peak < 40 * len(mutated) + 2**22
        seen[outcome] += 1
    assert min(seen.values()) > 40


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model: model["params"].update(step=0), "parameters that no detector takes"),
        (lambda model: model["params"].update(scale=1.0), "parameters that no detector takes"),
        (lambda model: model["params"].update(window=3), "parameters that no detector takes"),
        (lambda model: model["params"].update(window={"$tuple": [2**40, 2**40]}), "values of a window"),
        (lambda model: model["params"].update(window={"$tuple": [4, 8]}), "must take the 32 values of a window"),
        (lambda model: model["fitted"].update(classifier_=other("Ridge")), "decision_function"),
        (lambda model: model["fitted"].update(classifier_=other("SVC")), "the classes 0, nothing, and 1"),
        (lambda model: model["fitted"]["labels_"].fill(2), "labels_"),
        (lambda model: model["fitted"].update(labels_=np.zeros(3, dtype=np.int64)), "labels_"),
        (lambda model: model["fitted"].update(windows_=np.zeros((5, 7))), "windows_"),
    ],
)
def test_detectors_that_do_not_fit_together(path, change, words):
    opened = Opened("SlidingWindow", path)
    change(opened.model)
    opened.seal()
    refused(path, words)
