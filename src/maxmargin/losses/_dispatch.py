"""Compiled functions that take the loss as a number, so that a loop over samples is compiled once for all losses.

``loss_value(code, f, y, epsilon)`` is the chain ::

    if code == 0:
        return zero_one_value(f, y, epsilon)
    if code == 1:
        return perceptron_value(f, y, epsilon)
    ...
    return nan

and so on for the four others. The chains are written out from the registry, or a new loss would need five more lines.
Inside a loop the branch goes the same way every time, which the processor predicts.
"""

from __future__ import annotations

from typing import Any

from ..engine import jit
from ._registry import LOSSES


def _chain(role: str, arguments: str) -> Any:
    source = [f"def loss_{role}(code, {arguments}):"]
    names: dict[str, Any] = {"__name__": __name__, "nan": float("nan")}
    for code, facts in enumerate(LOSSES.values()):
        names[f"{facts.name}_{role}"] = getattr(facts, role)
        source += [f"    if code == {code}:", f"        return {facts.name}_{role}({arguments})"]
    source.append("    return nan")
    # The text has no file, hence the function is not cached by itself; the loops that call it are.
    exec(compile("\n".join(source), f"<loss_{role}>", "exec"), names)
    return jit(names[f"loss_{role}"])


loss_value = _chain("value", "f, y, epsilon")
loss_derivative = _chain("derivative", "f, y, epsilon")
loss_curvature = _chain("curvature", "f, y, epsilon")
loss_conjugate = _chain("conjugate", "u, y, epsilon")
loss_prox = _chain("prox", "v, y, step, epsilon")
