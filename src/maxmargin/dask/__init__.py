"""The same models on a Dask cluster: rows that no machine holds, and the same certificate.

``from maxmargin.dask import LinearSVC`` is the one word that changes. X, y and weights are dask arrays or data frames;
`fit` returns the ordinary estimator of the library, which no longer knows of the cluster. See the manual's page "From
one machine to a cluster". Needs the extra ``maxmargin[dask]``.
"""

try:
    import dask as _dask  # noqa: F401
    import distributed as _distributed  # noqa: F401
except ImportError as error:  # pragma: no cover - the tests have it
    raise ImportError("maxmargin.dask needs Dask: pip install 'maxmargin[dask]'.") from error

from .. import engine as _engine  # noqa: F401  (first: see there)
from ._errors import ClusterError
from ._forest import RandomForestClassifier, RandomForestRegressor
from ._kmeans import KMeans
from ._large import LargeSVC
from ._linear import LinearSVC, LinearSVR, LogisticRegression, Ridge
from ._predict import predict
from ._search import SVCCV
from ._verify import verify

__all__ = [
    "SVCCV",
    "ClusterError",
    "KMeans",
    "LargeSVC",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
    "predict",
    "verify",
]
