"""Pictures of fitted models, as Display classes in the manner of scikit-learn's."""

from ._margin import MarginDisplay
from ._search import SearchDisplay

__all__ = ["MarginDisplay", "SearchDisplay"]
