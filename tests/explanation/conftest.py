import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris


@pytest.fixture(scope="session")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, np.where(y == 1, "benign", "malignant")


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="session")
def people():
    """A table as it comes: numbers with holes, a category with holes, a truth value, a date."""
    rng, n = np.random.default_rng(0), 300
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "city": rng.choice(["Oslo", "Rome", "Paris"], n),
            "smoker": rng.random(n) < 0.3,
            "born": pd.Timestamp("1980-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), "D"),
            "income": rng.normal(40, 10, n),
        }
    )
    frame.loc[::17, "age"] = np.nan
    frame.loc[::19, "city"] = None
    score = frame.income + 10 * frame.smoker + 5 * (frame.city == "Oslo") + 0.1 * frame.age.fillna(40)
    return frame, np.where(score + rng.normal(0, 3, n) > 50, "yes", "no")
