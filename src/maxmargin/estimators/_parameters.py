"""Whether the parameters of an estimator are ones that it takes.

scikit-learn answers that by reading the signature of the constructor and making every constraint anew, for each fit:
60 microseconds, a fifth of a small one. Here both are made once for a class. What a parameter does not meet,
scikit-learn says itself.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import make_constraint

# For each class: its constraints as they were read, and for each parameter its default and those constraints, made.
_KNOWN: dict[type, tuple[Any, list[tuple[str, Any, list[Any]]]]] = {}
# Defaults of these types never change: once checked, they need not be looked at again.
_FIXED = (bool, int, float, str, type(None))


class CheckedParameters:
    """An estimator with scikit-learn's ``_parameter_constraints``."""

    def _validate_params(self) -> None:
        known = _KNOWN.get(type(self))
        if known is None or known[0] is not self._parameter_constraints:  # type: ignore[attr-defined]
            known = _KNOWN[type(self)] = self._parameter_constraints, _constraints(self)  # type: ignore[attr-defined]
        for name, default, constraints in known[1]:
            value = getattr(self, name)
            if value is not default and not any(one.is_satisfied_by(value) for one in constraints):
                super()._validate_params()  # type: ignore[misc]  # raises
                return


def _constraints(estimator: Any) -> list[tuple[str, Any, list[Any]]]:
    """Of each parameter that has some: its name, its default if that is fixed and allowed, and its constraints."""
    found = []
    for name in estimator._get_param_names():
        stated = estimator._parameter_constraints.get(name, "no_validation")
        if isinstance(stated, str):
            continue
        constraints = [make_constraint(one) for one in stated]
        default = getattr(type(estimator), name, _KNOWN)  # that of a field is an attribute of the class
        if type(default) not in _FIXED or not any(one.is_satisfied_by(default) for one in constraints):
            default = _KNOWN  # which is no parameter
        found.append((name, default, constraints))
    return found
