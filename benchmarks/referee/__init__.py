"""The referee: objectives and gaps in float64 from what a model keeps, by plain numpy code of its own.

It shares no line with maxmargin's certificates nor with any peer, so that it can judge all of them.
"""

from .box_qp import Verdict, judge
from .products import rbf_product

__all__ = ["Verdict", "judge", "rbf_product"]
