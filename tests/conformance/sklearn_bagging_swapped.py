"""A pytest plugin that puts our bagging in the place of scikit-learn's before its tests are imported."""

_MANY = "test_sparse_classification["
_STEP = 5  # prime to the 4 containers, 4 settings and 4 methods: each of them is there in what is left


def pytest_configure(config):
    import sklearn.ensemble

    import maxmargin.ensemble

    for name in ("BaggingClassifier", "BaggingRegressor"):
        setattr(sklearn.ensemble, name, getattr(maxmargin.ensemble, name))


def pytest_collection_modifyitems(config, items):
    """Of 64 tests that take three quarters of the time, all of it in fits of logistic regression, every fifth."""
    many = [item for item in items if item.name.startswith(_MANY)]
    kept = set(many[::_STEP])
    items[:] = [item for item in items if item not in many or item in kept]
