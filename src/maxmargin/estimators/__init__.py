"""What every estimator composes: checked labels and weights, solving side by side, the end of a fit, the report."""

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._conclude import conclude, keep_proof
from ._docstrings import complete_docstring
from ._kernel_choice import KERNEL_CONSTRAINTS, KernelChoice
from ._labels import check_every_class, class_weights, encode_known_labels, encode_labels
from ._named_kernel import PAIRWISE_KERNELS, pairwise_kernel
from ._pairs import class_pairs, pair_vote
from ._penalties import check_penalties
from ._reported import OwnEstimator, PublicMethods, Reported
from ._same_rows import TrainingDataError, check_same_rows, check_training, refuse_training
from ._side_by_side import solve_all
from ._tags import KeepsGamma, TakesKernel, TakesMissing, TakesSparse
from ._tracing import keep_trace, monitor_of
from ._weights import check_weights, weights_or_ones

__all__ = [
    "KERNEL_CONSTRAINTS",
    "PAIRWISE_KERNELS",
    "KeepsGamma",
    "KernelChoice",
    "PublicMethods",
    "OwnEstimator",
    "Reported",
    "TakesKernel",
    "TakesMissing",
    "TakesSparse",
    "TrainingDataError",
    "check_every_class",
    "check_penalties",
    "check_same_rows",
    "check_training",
    "refuse_training",
    "check_weights",
    "class_pairs",
    "class_weights",
    "complete_docstring",
    "conclude",
    "encode_known_labels",
    "encode_labels",
    "keep_proof",
    "keep_trace",
    "monitor_of",
    "pair_vote",
    "pairwise_kernel",
    "solve_all",
    "weights_or_ones",
]
