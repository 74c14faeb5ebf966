"""What `to_onnx` writes, where, and what it refuses."""

import json
import sys
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, QuantileTransformer, StandardScaler

from maxmargin import cluster, ensemble, linear_model, neighbors, svm, tree
from maxmargin.cluster import KMeans
from maxmargin.ensemble import AdaBoostClassifier, BaggingRegressor, RandomForestClassifier
from maxmargin.linear_model import LogisticRegression, Ridge
from maxmargin.neighbors import KNeighborsClassifier
from maxmargin.persistence import to_onnx
from maxmargin.svm import SVC, SVCCV
from maxmargin.tree import DecisionTreeClassifier

onnx = pytest.importorskip("onnx")
X, Y = load_iris(return_X_y=True)


def facts(written):
    return {prop.key: prop.value for prop in written.metadata_props}


def names(values):
    return [value.name for value in values]


def test_inputs_and_outputs_are_named_and_double():
    written = to_onnx(LogisticRegression().fit(X, np.array(["a", "b", "c"])[Y]))
    assert names(written.graph.input) == ["X"]
    assert names(written.graph.output) == ["label", "decision", "probabilities"]
    kinds = [output.type.tensor_type.elem_type for output in written.graph.output]
    assert kinds == [onnx.TensorProto.STRING, onnx.TensorProto.DOUBLE, onnx.TensorProto.DOUBLE]
    shape = written.graph.input[0].type.tensor_type.shape.dim
    assert (shape[0].dim_param, shape[1].dim_value) == ("N", 4)
    assert names(to_onnx(Ridge().fit(X, Y)).graph.output) == ["value"]


def test_no_constant_is_single_precision():
    model = make_pipeline(StandardScaler(), SVCCV(Cs=2, gammas=2)).fit(X, Y)
    kinds = {tensor.data_type for tensor in to_onnx(model).graph.initializer}
    assert kinds <= {onnx.TensorProto.DOUBLE, onnx.TensorProto.INT64, onnx.TensorProto.BOOL}


def test_metadata_says_what_it_is_and_what_is_proven():
    model = make_pipeline(StandardScaler(), SVC()).fit(X, Y)
    written = to_onnx(model)
    found = facts(written)
    assert found["maxmargin.class"] == "SVC"
    worst, words = model[-1].certificate_.worst, found["maxmargin.certificate"].replace(",", "").split()
    dual, primal = (Fraction(words[words.index(name) + 1]) for name in ("between", "and"))
    assert dual <= Fraction(worst.dual) < Fraction(worst.primal) <= primal
    assert json.loads(found["maxmargin.steps"]) == ["StandardScaler", "SVC"]
    assert found["maxmargin.version"] == written.producer_version
    assert found["maxmargin.certificate"].startswith("converged: the optimum is between")
    assert "out-of-bag" in facts(to_onnx(RandomForestClassifier(5).fit(X, Y)))["maxmargin.certificate"]


def test_the_same_model_gives_the_same_file(tmp_path):
    model = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)).fit(X, Y)
    for name in ("a.onnx", "b.onnx"):
        to_onnx(model, tmp_path / name)
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def test_a_file_appears_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    written = to_onnx(Ridge().fit(X, Y), str(path))
    assert onnx.load(path) == written
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]
    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("the disk is full")))
    with pytest.raises(OSError, match="the disk is full"):
        to_onnx(SVC().fit(X, Y), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.onnx"]


def test_the_model_itself_is_not_changed():
    model = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)).fit(X, Y)
    before = model.predict_proba(X)
    to_onnx(model)
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize(
    "model",
    [SVC(), LogisticRegression(), RandomForestClassifier(5, random_state=0), AdaBoostClassifier(n_estimators=5)],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("trained", [np.float32, np.float64])
def test_rows_in_single_precision_are_widened(model, trained, run_onnx):
    """What a model says of float32 rows is what its graph says of the same numbers in float64."""
    rows = (X + 0.01).astype(np.float32)
    model.fit(X.astype(trained), Y)
    found = run_onnx(to_onnx(model), rows)
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    if "decision" in found:
        np.testing.assert_allclose(found["decision"], model.decision_function(rows), rtol=0, atol=1e-10)


def test_graphs_pass_the_full_check():
    """Shapes and types that onnx infers agree with those that are declared."""
    for model in (SVCCV(Cs=2, gammas=2), RandomForestClassifier(3), KNeighborsClassifier(), AdaBoostClassifier()):
        onnx.checker.check_model(to_onnx(model.fit(X, Y)), full_check=True)


def test_what_a_learner_says_besides_is_left_out():
    """A bag of classifiers that have probabilities needs no decision values of theirs if it has none itself."""
    model = BaggingRegressor(Ridge(), n_estimators=2).fit(X, Y)
    written = to_onnx(model)
    read = {name for node in written.graph.node for name in node.input} | set(names(written.graph.output))
    made = [name for node in written.graph.node for name in node.output]
    assert [name for name in made if name not in read] == []
    assert [name for name in names(written.graph.initializer) if name not in read] == []


# -------------------------------------------------------------------- what is refused


def test_every_estimator_is_exported_or_refused_by_name():
    from maxmargin.persistence import _onnx_model  # noqa: F401
    from maxmargin.persistence._onnx_graph import MODELS

    rooms = (svm, linear_model, tree, ensemble, neighbors, cluster)
    found = {getattr(room, name) for room in rooms for name in room.__all__}
    estimators = {thing for thing in found if isinstance(thing, type) and hasattr(thing, "fit")}
    without = {"KMeans", "SpectralClustering", "SyntheticOverSampler", "UnderSampler"}
    without |= {"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"}
    assert {cls.__name__ for cls in estimators - set(MODELS)} == without


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: KMeans(2).fit(X), "maxmargin's KMeans cannot be exported to ONNX. Models that can: AdaBoost"),
        (lambda: LinearRegression().fit(X, Y), "sklearn's LinearRegression cannot be exported"),
        (lambda: SVC(kernel="precomputed").fit(X @ X.T, Y), "SVC has 'precomputed' as its kernel"),
        (lambda: SVC(kernel=lambda a, b: a @ b.T).fit(X, Y), "SVC has a function of the user's as its kernel"),
        (
            lambda: make_pipeline(QuantileTransformer(n_quantiles=9), SVC()).fit(X, Y),
            "step 'quantiletransformer': sklearn's QuantileTransformer cannot .* Preparation that can: ColumnTr",
        ),
        (lambda: make_pipeline(StandardScaler(), LinearRegression()).fit(X, Y), "step 'linearregression': sklearn's"),
        (lambda: make_pipeline(FunctionTransformer(np.log1p), SVC()).fit(X, Y), "step 'functiontransformer': a Func"),
        (
            lambda: make_pipeline(OneHotEncoder(), SVC()).fit([["a"], ["b"]] * 5, [0, 1] * 5),
            "step 'onehotencoder': OneHotEncoder has categories that are not numbers .*ColumnReader",
        ),
        (lambda: SVCCV(Cs=2, gammas=2, refit=False).fit(X, Y), "refit=False"),
        (lambda: KNeighborsClassifier(metric="manhattan").fit(X, Y), "the metric 'manhattan'"),
        (lambda: KNeighborsClassifier(weights=lambda d: d + 1).fit(X, Y), "a function as its weights"),
        (lambda: KNeighborsClassifier().fit(X, np.column_stack([Y, Y])), "several outputs"),
        (lambda: BaggingRegressor(LinearRegression(), n_estimators=2).fit(X, Y), "sklearn's LinearRegression"),
    ],
)
def test_refusals_name_the_part_and_what_would_do(make, message):
    with pytest.raises(ValueError, match=message):
        to_onnx(make())


def test_a_subclass_is_not_taken_for_its_parent():
    class Other(Ridge):
        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(ValueError, match="Other cannot be exported"):
        to_onnx(Other().fit(X, Y))


def test_categories_behind_other_steps_are_refused():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"city": ["a", "b"] * 20, "age": np.arange(40.0)})
    model = make_pipeline(FunctionTransformer(), DecisionTreeClassifier()).fit(frame, [0, 1] * 20)
    with pytest.raises(ValueError, match=r"step 'decisiontreeclassifier': .* data frame with categories"):
        to_onnx(model)


def test_a_model_too_large_for_a_file_is_refused(monkeypatch):
    monkeypatch.setattr("maxmargin.persistence._onnx_graph.LARGEST", 1000)
    with pytest.raises(ValueError, match="more than the 1,000 bytes"):
        to_onnx(SVC().fit(X, Y))


def test_an_unfitted_model_is_refused():
    with pytest.raises(NotFittedError):
        to_onnx(SVC())


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[onnx\]'"):
        to_onnx(SVC().fit(X, Y))
