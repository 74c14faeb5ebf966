"""scikit-learn's checks of the kernel models, every one of them, without exceptions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin.kernel_model import KernelLogisticRegression, KernelPerceptron, KernelRidge
from maxmargin.kernels import RBF, Linear
from maxmargin.svm import SVC

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@parametrize_with_checks(
    [
        KernelRidge(),
        KernelRidge(kernel="rbf", alpha=0.1),
        KernelRidge(kernel="precomputed"),
        KernelRidge(kernel=RBF(0.1) + Linear()),
        KernelLogisticRegression(),
        KernelLogisticRegression(kernel="linear"),
        KernelLogisticRegression(kernel=RBF(0.1) + Linear(), C=10.0),
        KernelPerceptron(),
        KernelPerceptron(kernel="linear", variant="averaged"),
        SVC(kernel=RBF(0.5) + Linear()),
    ]
)
def test_kernel_models(estimator, check):
    check(estimator)
