"""Ways to change a fitted model: one attribute, one array, one entry, or a parameter that its predictions read."""

from typing import Any

import numpy as np
import scipy.sparse as sp

# What a kernel or a vote is made of; a parameter that only the fit read changes nothing.
PARAMETERS = ("kernel", "degree", "coef0", "n_neighbors", "C", "nu", "epsilon", "tol", "gamma", "alpha", "n_clusters")
_DEEPEST = 4


def change(model: Any, donor: Any, rng: np.random.Generator) -> str | None:
    """Change a model in place; what was changed, such as ``"intercept_: nan"``, or None if nothing was."""
    if rng.random() < 0.1:
        return _parameter(model, rng)
    names = [name for name in vars(model) if name.endswith("_") or name.startswith("_")]
    names = [name for name in names if not name.startswith("__") and name not in ("_sklearn_output_config",)]
    name = names[rng.integers(len(names))]
    if name in ("certificate_", "_proof"):
        return _claim(model, name, rng)
    other = getattr(donor, name, None) if type(donor) is type(model) else None
    made = _changed(getattr(model, name), other, rng, 0)
    if made is None:
        return None
    kind, value = made
    object.__setattr__(model, name, value)
    return f"{name}: {kind}"


def _claim(model: Any, name: str, rng: np.random.Generator) -> str | None:
    """A figure of the certificate."""
    from dataclasses import replace

    certificate = getattr(model, name)
    if certificate is None:
        return None
    if hasattr(certificate, "relative_gap"):
        figure = ("primal", "dual", "kkt_violation", "relative_gap")[rng.integers(4)]
        place = int(rng.integers(len(certificate.problems)))
        parts = list(certificate.problems)
        if figure == "relative_gap" and abs(parts[place].primal) < 1e-6:
            return None  # of an objective that is zero but for rounding it says nothing
        parts[place] = replace(
            parts[place], **{figure: getattr(parts[place], figure) * 1.5 + 0.1 + 2 * getattr(model, "tol", 0.0)}
        )
        object.__setattr__(model, name, replace(certificate, problems=tuple(parts)))
        return f"{name}: {figure}"
    if not certificate.figures or certificate.problems:
        return None
    figure = list(certificate.figures)[rng.integers(len(certificate.figures))]
    figures = {**certificate.figures, figure: certificate.figures[figure] * 1.5 + 0.1}
    object.__setattr__(model, name, replace(certificate, figures=figures))
    return f"{name}: {figure}"


def _parameter(model: Any, rng: np.random.Generator) -> str | None:
    names = [name for name in PARAMETERS if hasattr(model, name)]
    if not names:
        return None
    name = names[rng.integers(len(names))]
    value = getattr(model, name)
    if name == "kernel":
        new: Any = "linear" if value != "linear" else "rbf"
    elif isinstance(value, int) and not isinstance(value, bool):
        new = value + 1
    elif isinstance(value, float):
        new = value * 3
    else:
        return None
    setattr(model, name, new)
    return f"parameter {name}"


def _changed(value: Any, other: Any, rng: np.random.Generator, depth: int) -> tuple[str, Any] | None:
    """The kind of change, and the changed value."""
    if isinstance(value, bool | np.bool_):
        return "turned", not value
    if isinstance(value, int | float | np.number):
        return _number(value, rng)
    if sp.issparse(value):
        made = _array(value.data, None, rng, same_length=True)
        if made is None:
            return None
        new = value.copy()
        new.data = np.asarray(made[1])
        return made[0], new
    if isinstance(value, np.ndarray):
        return _array(value, other, rng)
    if isinstance(value, list | tuple) and value and depth < _DEEPEST:
        k = int(rng.integers(len(value)))
        made = _changed(value[k], None, rng, depth + 1)
        if made is None:
            return None
        items = list(value)
        items[k] = made[1]
        return made[0], tuple(items) if isinstance(value, tuple) and type(value) is tuple else items
    if hasattr(value, "__dict__") and vars(value) and depth < _DEEPEST and not callable(value):
        return _inside(value, rng, depth)
    return None


def _inside(value: Any, rng: np.random.Generator, depth: int) -> tuple[str, Any] | None:
    names = [name for name in vars(value) if "certificate" not in name and name not in ("_recompute", "random_state")]
    if not names:
        return None
    name = names[rng.integers(len(names))]
    made = _changed(getattr(value, name), None, rng, depth + 1)
    if made is None:
        return None
    object.__setattr__(value, name, made[1])
    return f"{name} {made[0]}", value


def _number(value: Any, rng: np.random.Generator) -> tuple[str, Any]:
    if isinstance(value, int | np.integer):
        return ("offset", value + 1) if rng.random() < 0.5 else ("sign", -value - 1)
    kind = ("nan", "infinite", "factor", "offset", "sign")[rng.integers(5)]
    made = {"nan": np.nan, "infinite": np.inf, "factor": value * 3, "offset": value + 1.0, "sign": -value - 0.5}
    return kind, type(value)(made[kind])


def _array(
    value: np.ndarray, other: Any, rng: np.random.Generator, same_length: bool = False
) -> tuple[str, np.ndarray] | None:
    if value.size == 0:
        return None
    kinds = ["reversed", "rolled", "zeroed", "swapped"] + ([] if same_length else ["truncated", "doubled", "text"])
    numeric = value.dtype.kind in "fiu"
    if numeric:
        kinds += ["factor", "offset", "sign"] * 2
    if value.dtype.kind == "f":
        kinds += ["nan", "infinite", "float16"]
    kind = kinds[rng.integers(len(kinds))]
    new = value.copy()
    flat = new.reshape(-1)
    place = int(rng.integers(value.size))
    if kind == "reversed":
        new = new[::-1].copy()
    elif kind == "rolled":
        new = np.roll(new, 1, axis=int(rng.integers(value.ndim)))
    elif kind == "zeroed":
        new[...] = new.flat[0] if not numeric else 0
    elif kind == "swapped":
        if not isinstance(other, np.ndarray) or other.dtype.kind != value.dtype.kind:
            return None
        new = other.copy()
    elif kind == "truncated":
        new = new[:-1]
    elif kind == "doubled":
        new = np.concatenate([new, new])
    elif kind == "text":
        new = new.astype(str)
    elif kind == "float16":
        new = new.astype(np.float16).astype(value.dtype)
    else:
        entry = flat[place]
        made = {"factor": entry * 2, "offset": entry + 1, "sign": -entry, "nan": np.nan, "infinite": np.inf}
        if value.dtype.kind == "u" and kind == "sign":
            return None
        with np.errstate(all="ignore"):
            flat[place] = made[kind]
    return kind, new
