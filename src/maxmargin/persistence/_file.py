"""Saving and loading."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.validation import check_is_fitted

from . import _json
from ._container import (
    MEMBERS,
    MODEL,
    PROVENANCE,
    VERSION,
    Chunks,
    Container,
    Pools,
    chunks,
    member_of,
    opened,
    pack,
    write,
)
from ._errors import Mismatch, ModelFileError, Place
from ._recursion import completed
from ._registry import is_fitted, object_node, whole_of


def save(model: Any, path: str | os.PathLike[str], *, provenance: dict[str, Any] | None = None) -> None:
    """Write a fitted model to one file, with its certificate.

    The file appears under its name only when it is complete, and replaces one that is there. A link stays a link to
    the new file; a device or a named pipe is written into.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of maxmargin, or a pipeline or column transformer of scikit-learn with such, and with the
        transformers that are listed in the manual. How many processes a column transformer may start (its `n_jobs`)
        is not kept.
    path : str or path
        Where to; ``.mm`` is the customary ending.
    provenance : dict, optional
        What else shall be known of the model: where its data came from, how it was tuned. Anything that JSON can hold.
        The keys ``format``, ``versions``, ``class``, ``parameters`` and ``created`` are set by `save`.

    Raises
    ------
    ModelFileError
        If the model holds something that a file has no place for: a function, an object of an unknown class.

    See Also
    --------
    load : The model again.

    Examples
    --------
    >>> import os, tempfile
    >>> from maxmargin.persistence import load, save
    >>> from maxmargin.svm import SVC
    >>> model = SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.mm"))
    ...     again = load(os.path.join(folder, "model.mm"))
    >>> again.predict([[0.9], [2.1]])
    array([0, 1])

    """
    check_is_fitted(model)
    try:
        node = completed(object_node(model, ""))
        completed(whole_of(node, Place("")))  # what cannot be loaded is not written
        tree, pools = pack(node)
        facts = _provenance(node, provenance)
        members: dict[str, Chunks] = {
            PROVENANCE: [_json.dump(facts, PROVENANCE)],
            MODEL: [_json.dump(tree, MODEL)],
            **{member_of(dtype): chunks(dtype, arrays) for dtype, arrays in pools.items()},
        }
    except Mismatch as error:
        place = f"{error.where}: " if error.where else ""
        raise ModelFileError(f"{type(model).__name__} cannot be saved: {place}{error.what}") from error
    except RecursionError as error:
        raise ModelFileError(f"{type(model).__name__} cannot be saved: it is nested too deeply.") from error
    write(path, members)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file.

    Every shape, range, dtype and index is checked before anything is used; nothing in the file is run. The predictions
    are those of the saved model to the last bit, and ``certificate_.verify(X, y)`` works as before.

    Parameters
    ----------
    path : str or path
        A file that `save` has written.

    Returns
    -------
    estimator

    Raises
    ------
    ModelFileError
        If the file is damaged, is no model file, or was written by a newer version of maxmargin.

    Examples
    --------
    See `save`.

    """
    with opened(Path(path)) as container:
        tree = container.json(MODEL)
        try:
            pools = Pools(tree)
            _compare(pools.members, container)
            model = completed(whole_of(pools.read(container.open, container.digests), Place("")))
            if not is_fitted(model):
                raise Mismatch("", "the model is not fitted.")
            return model
        except Mismatch as error:
            raise error if error.where in MEMBERS else Mismatch(MODEL, str(error)) from error


def read_provenance(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What is known of the model in a file, without loading it.

    Parameters
    ----------
    path : str or path
        A file that `save` has written.

    Returns
    -------
    dict
        ``format`` (version of the file), ``versions`` (of the packages that wrote it), ``class``, ``parameters``,
        ``created`` (the time, UTC), and what was given to `save` as `provenance`.

    Raises
    ------
    ModelFileError
        If the file is damaged, is no model file, or was written by a newer version of maxmargin.

    """
    with opened(Path(path)) as container:
        facts = container.json(PROVENANCE)
        if not isinstance(facts, dict):
            raise Mismatch(PROVENANCE, "must be an object.")
        return facts


def _compare(needed: dict[str, int], container: Container) -> None:
    """The arrays that the model refers to must be those of the file, before room is made for any of them."""
    sizes = {name: size for name, size in container.sizes.items() if name in MEMBERS}
    if sizes != needed:
        name = next(n for n in sorted(sizes.keys() | needed.keys()) if sizes.get(n) != needed.get(n))
        raise Mismatch(
            name, f"has {sizes.get(name, 'no')} bytes; the model needs {needed.get(name, 'no such member')}."
        )


def _provenance(node: dict[str, Any], given: dict[str, Any] | None) -> dict[str, Any]:
    from maxmargin import __version__

    if given is not None and not isinstance(given, dict):
        raise Mismatch("provenance", f"must be a dict; got {type(given).__name__}.")
    return {
        **(given or {}),
        "format": VERSION,
        "versions": {
            "maxmargin": __version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
            "python": platform.python_version(),
        },
        "class": node["class"],
        "parameters": _readable(node["params"]),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _readable(node: Any) -> Any:
    """Parameters for people: arrays by their shape, estimators by their class and parameters."""
    if isinstance(node, np.ndarray):
        return f"array of {node.dtype} with the shape {node.shape}"
    if isinstance(node, list):
        return [_readable(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "class" in node:
        return {"class": node["class"], "parameters": _readable(node["params"])}
    if "$dict" in node:
        return {str(_readable(key)): _readable(value) for key, value in node["$dict"]}
    if len(node) == 1 and next(iter(node)).startswith("$"):
        return _readable(next(iter(node.values())))
    return {key: _readable(value) for key, value in node.items()}
