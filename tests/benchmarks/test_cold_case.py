"""What a first fit compiles, by counting: what it uses and no more."""

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import cold


def _compiled(name):
    """What is compiled for an estimator in a process of its own, with an empty cache."""
    found = cold._child([name], ["float64"])
    (step,) = found["steps"].values()
    assert step["problem"] is None
    assert step["compilations"] == sum(count for count, _ in found["functions"].values()) == len(found["signatures"])
    return found["functions"]


def _repeated(functions):
    """Functions of the package of which there is more than one signature."""
    return {name for name, (count, _) in functions.items() if count > 1 and not name.startswith("numba.")}


def test_an_rbf_machine_compiles_no_other_kernel():
    functions = _compiled("SVC")
    assert "kernels._transform.rbf_tile" in functions
    assert not {name for name in functions if "sigmoid" in name or "polynomial" in name or "differences" in name}
    assert not {name for name in functions if "unicode" in name}
    assert sum(count for count, _ in functions.values()) <= 40
    assert not _repeated(functions)


def test_a_logistic_regression_compiles_no_other_loss():
    functions = _compiled("LogisticRegression")
    losses = {name for name in functions if name.startswith("losses._")} - {"losses._loss._derivatives"}
    assert "losses._logistic.value" in losses
    assert {name.split(".")[1] for name in losses} == {"_logistic", "_dispatch"}
    assert not {name for name in functions if "unicode" in name or "dot_2" in name}
    assert sum(count for count, _ in functions.values()) <= 45


def test_a_tree_compiles_its_pieces_once_and_no_bundles():
    functions = _compiled("DecisionTreeClassifier")
    assert "tree._grow.grow_deep" in functions
    assert "tree._bundles.fill_bundle" not in functions
    assert _repeated(functions) <= {"tree._find_split.place_of"}
    assert sum(count for count, _ in functions.values()) <= 60


def test_every_estimator_is_there():
    names = set(cold.estimators())
    assert {"SVC", "SVRCV", "LogisticRegressionCV", "RandomForestRegressor", "KMeans", "DecisionStump"} <= names


@pytest.mark.parametrize("form", cold.FORMS)
def test_rows_in_all_forms(form):
    X = cold.rows(form)
    assert X.shape == cold.SHAPE
    assert sp.issparse(X) == (form == "CSR")
    assert X.dtype == (np.float32 if form == "float32" else np.float64)


def test_tables_name_estimators_and_functions():
    steps = {
        "SVC float64": {"seconds": 2.5, "waited": 3.0, "compilations": 35, "problem": None},
        "DecisionPlane CSR": {"seconds": 0.1, "waited": 0.1, "compilations": 0, "problem": "dense data is required"},
    }
    functions = {"solvers.kernel._smo.smo": [1, 0.5], "numba.np.linalg.dot_3": [3, 0.25]}
    text = cold._tables(steps, functions)
    lines = [line.split() for line in text.splitlines()]
    assert ["SVC", "float64", "2.50", "3.00", "35"] in lines
    assert ["total", "2.6", "3.1", "35"] in lines
    assert ["solvers.kernel._smo.smo", "0.500", "1"] in lines
    assert ["all", "of", "numba", "and", "NumPy", "0.250", "3"] in lines
    assert "dense data is required" in text
