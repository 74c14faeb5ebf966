"""What the estimators of a cluster share: they fit the ordinary estimator of the library, and hand it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from sklearn.base import clone

from ._cluster import Cluster


class OnCluster:
    """An estimator whose rows are on a cluster; beside, it is the estimator of one machine that it derives from.

    `fit` returns the ordinary estimator. Its fitted attributes are this one's, too, so that code that does not look at
    what `fit` returns goes on to work.
    """

    client: Any

    def _fit_ordinary(self, ordinary: type, fit: Callable[..., None], *data: Any) -> Any:
        """Fit an estimator of the class `ordinary` with these parameters."""
        self._validate_params()  # type: ignore[attr-defined]
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        params.pop("client")
        model = ordinary(**params)
        model._validate_params()
        if params.get("warm_start"):
            vars(model).update(self._fitted())
        fit(model, Cluster(self.client), *data)
        for name in self._fitted():
            delattr(self, name)
        own = set(model.get_params(deep=False))
        vars(self).update({name: value for name, value in vars(model).items() if name not in own})
        return model

    def _fitted(self) -> dict[str, Any]:
        """What a fit has left."""
        params = set(self.get_params(deep=False))  # type: ignore[attr-defined]
        return {name: value for name, value in vars(self).items() if name not in params}

    def __sklearn_clone__(self) -> Self:
        """An unfitted one with the same client: a connection is not copied."""
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        return type(self)(
            **{name: value if name == "client" else clone(value, safe=False) for name, value in params.items()}
        )

    def __getstate__(self) -> dict[str, Any]:
        """Without the client, which belongs to this process."""
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        state["client"] = None
        return state
