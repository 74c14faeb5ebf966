"""The referee: objectives and gaps in float64 from what a model keeps, by plain numpy and scipy code of its own.

It shares no line with maxmargin's certificates nor with any peer, so that it can judge all of them.
"""

from .box_qp import Verdict, judge
from .linear_problem import Binary, LinearProblem, Multinomial, binary, with_constant
from .lower_bound import Proof, lower_bound
from .products import rbf_product

__all__ = [
    "Binary",
    "LinearProblem",
    "Multinomial",
    "Proof",
    "Verdict",
    "binary",
    "judge",
    "lower_bound",
    "rbf_product",
    "with_constant",
]
