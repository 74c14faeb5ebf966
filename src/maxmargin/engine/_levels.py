"""Levels of processors that machine code is made for beforehand, and which of them this one has.

On x86-64 the levels are those of its ABI; `generic` is what every processor of an architecture has.
"""

from __future__ import annotations

from typing import Any

_V3 = frozenset(
    "cx16 sahf popcnt sse3 ssse3 sse4.1 sse4.2 avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave".split()
)  # cmov, sse and sse2 belong to every x86-64

# The best first.
LEVELS: dict[str, frozenset[str]] = {
    "x86-64-v4": _V3 | frozenset("avx512f avx512bw avx512cd avx512dq avx512vl".split()),
    "x86-64-v3": _V3,
    "generic": frozenset(),
}
HOST = "host"


def is_level_of(level: str, triple: str, target: tuple[str, str, str]) -> bool:
    """Whether machine code of a level runs where the compiler makes code for a target.

    Parameters
    ----------
    level : str
        A name in `LEVELS`.
    triple : str
        Of the machine code: architecture and system.
    target : tuple of str
        Triple, name and features of the processor that the compiler has code made for.

    Returns
    -------
    bool

    """
    here, cpu, features = target
    if triple != here or level not in LEVELS:
        return False
    if cpu == level and features == "":  # somebody has asked for this level
        return True
    if cpu in LEVELS and features == "":  # or for another one
        return False
    has = {feature[1:] for feature in features.split(",") if feature.startswith("+")}
    return LEVELS[level] <= has


def target_of(context: Any) -> tuple[str, str, str]:
    """Triple, name and features of the processor that a compiler makes code for."""
    triple, cpu, features = context.codegen().magic_tuple()
    return str(triple), str(cpu), str(features)


def compiler_target() -> tuple[str, str, str]:
    """The same for this process."""
    from numba.core.registry import cpu_target

    return target_of(cpu_target.target_context)
