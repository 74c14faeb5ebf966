"""A pytest plugin that puts our boosted votes in the place of scikit-learn's before its tests are imported."""


def pytest_configure(config):
    import sklearn.ensemble

    import maxmargin.ensemble

    for name in ("AdaBoostClassifier", "AdaBoostRegressor"):
        setattr(sklearn.ensemble, name, getattr(maxmargin.ensemble, name))
