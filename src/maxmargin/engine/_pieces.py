"""Pieces of compiled functions: compiled as far as the functions that they become part of need them.

Numba optimises every function and makes machine code of it, also of one that only other compiled functions call. Each
of those then takes the piece in as it is before machine code, optimises it again as part of itself, and calls its own
copy. Here a piece stops where the others take it from: that is half of what it would take to compile.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class PieceCompiler(Compiler):
    """Numba's compiler with a library that makes no machine code."""

    def define_pipelines(self) -> Any:
        """The passes are the same."""
        codegen = self.state.targetctx.codegen()
        self.state.library = _PieceLibrary(codegen, self.state.func_id.func_qualname)
        return super().define_pipelines()


class _PieceLibrary(JITCodeLibrary):
    """Code of a piece and of what it calls, linked but neither optimised nor loaded: nobody calls it here."""

    def get_pointer_to_function(self, name: str) -> int:
        """There is none."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Where the environment of a loaded function would be set."""
        return _Nowhere(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _Nowhere:
    """The code generator, for which a piece has no environment: only its copies run."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing to set."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)
