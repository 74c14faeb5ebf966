"""What a page says of a certificate."""

import pytest
from sklearn.datasets import make_blobs

from maxmargin.certificates import IndefiniteKernelWarning
from maxmargin.report import report
from maxmargin.svm import SVC


def test_a_machine_that_nothing_bounds_is_not_called_confirmed():
    X, y = make_blobs(60, centers=2, cluster_std=6.0, random_state=0)
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="sigmoid", gamma=0.3, coef0=-1).fit(X, y)
    page = report(model, X, y).html
    assert "nothing is proven" in page and "confirmed" not in page.split("</style>")[-1]
    assert "recomputed and confirmed" in report(SVC().fit(X, y), X, y).html
