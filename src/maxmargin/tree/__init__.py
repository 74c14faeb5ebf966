"""Decision trees of scikit-learn's names, grown from columns that are binned once."""

from .. import engine as _engine  # noqa: F401  (first: see there)

# Beside what users import (`__all__`), what ensembles, explanations and model files build on.
from ._base import (
    ClassTrees as ClassTrees,
    TreeEstimator as TreeEstimator,
    checked_columns as checked_columns,
    checked_target as checked_target,
    checked_weights as checked_weights,
)
from ._binning import MAX_BINS as MAX_BINS, Bins as Bins, encode_column as encode_column
from ._build import build_tree as build_tree, grow_tree as grow_tree, tree_of_nodes as tree_of_nodes
from ._bundles import NoBundles as NoBundles, find_bundles as find_bundles
from ._classifier import DecisionTreeClassifier
from ._columns import Categories as Categories
from ._grow import NODE_FIELDS as NODE_FIELDS
from ._prune import prune as prune
from ._refit import (
    confirm_or_refute as confirm_or_refute,
    first_difference as first_difference,
    is_deterministic as is_deterministic,
    refit_and_compare as refit_and_compare,
    refuted as refuted,
)
from ._regressor import DecisionTreeRegressor
from ._settings import (
    CONSTRAINTS as CONSTRAINTS,
    TreeParameters as TreeParameters,
    columns_a_split as columns_a_split,
    limits_of as limits_of,
    refuse_monotonic as refuse_monotonic,
)
from ._split import Limits as Limits
from ._text import export_text
from ._tree import Tree as Tree, dense_rows as dense_rows, nothing_missing as nothing_missing
from ._walk import Paths as Paths, add_values as add_values, walk as walk
from ._weak_nodes import WeakLearners as WeakLearners, learners_of as learners_of
from ._weighted_bins import SortedColumns as SortedColumns

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor", "export_text"]
