"""Numba's compiler with less around it: the same passes over the same code, in two thirds of the time.

Python's search for garbage takes an eighth of what is left, because compiling makes many objects that live on; it
waits until a function is compiled.

Pieces of compiled functions are compiled as far as the functions that they become part of need them. Numba optimises
every function and makes machine code of it, also of one that only other compiled functions call. Each of those then
takes the piece in as it is before machine code, optimises it again as part of itself, and calls its own copy. Here a
piece stops where the others take it from: that is half of what it would take to compile.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import fixup_var_define_in_scope
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes


class FunctionCompiler(Compiler):
    """Numba's compiler with flags and a library that take less time."""

    def __init__(
        self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, locals: Any
    ) -> None:
        super().__init__(typingctx, targetctx, library, args, return_type, _Flags(flags), locals)

    def define_pipelines(self) -> Any:
        """The passes are Numba's, but for two that most functions need not be put through."""
        codegen = self.state.targetctx.codegen()
        self.state.library = self._make_library(codegen, self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        (manager,) = super().define_pipelines()
        instead = {NopythonRewrites: Rewrites, InlineClosureLikes: Closures}
        manager.passes = [(instead.get(one, one), text) for one, text in manager.passes]
        manager.finalize()
        return [manager]

    def _make_library(self, codegen: Any, name: str) -> Any:
        return _Library(codegen, name)

    def _compile_core(self) -> Any:
        with _known_operations(self.state.typingctx):
            return super()._compile_core()


class PieceCompiler(FunctionCompiler):
    """The compiler of pieces: it makes no machine code."""

    def _make_library(self, codegen: Any, name: str) -> Any:
        return _PieceLibrary(codegen, name)


@contextmanager
def _known_operations(context: Any) -> Iterator[None]:
    """Let Numba find out once what an operation gives for operands of some types, until the function is compiled.

    It goes through all that has ever been registered for the operation, for each place where a function has it, and as
    often again as types are propagated.
    """
    if "resolve_function_type" in vars(context):  # within the compilation of another function
        yield
        return
    context.resolve_function_type = _KnownOperations(context)
    try:
        yield
    finally:
        del context.resolve_function_type


class _KnownOperations:
    def __init__(self, context: Any) -> None:
        self._resolve = context.resolve_function_type
        self._known: dict[Any, Any] = {}

    def __call__(self, function: Any, args: Any, kws: Any) -> Any:
        if not isinstance(function, types.Function):
            return self._resolve(function, args, kws)
        key = function, tuple(args), tuple(kws.items()), ConfigStack.top_or_none()
        if key not in self._known:
            found = self._resolve(function, args, kws)
            if found is None:
                return None
            self._known[key] = found
        return self._known[key]


@register_pass(mutates_CFG=True, analysis_only=False)
class Closures(InlineClosureLikes):
    """Numba's pass for functions and comprehensions within a function: only where there are some."""

    _name = "maxmargin_closures"

    def run_pass(self, state: Any) -> bool:
        """Put a function through if its code holds other code."""
        if any(inspect.iscode(one) for one in state.func_id.code.co_consts):
            return super().run_pass(state)
        fixup_var_define_in_scope(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class Rewrites(NopythonRewrites):
    """Numba's pass for expressions of arrays: only for functions that have some."""

    _name = "maxmargin_rewrites"

    def run_pass(self, state: Any) -> bool:
        """Put a function through if an operation or a call gives an array."""
        given = (signature.return_type for signature in state.calltypes.values() if signature is not None)
        return any(isinstance(kind, types.Array) for kind in given) and super().run_pass(state)


class _Flags(Flags):
    """Numba's flags, which are compared for every operation of every function: here without a call for each flag."""

    def values(self) -> dict[str, Any]:
        """All values by name."""
        return {**_DEFAULTS, **self._values}

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)

    def __hash__(self) -> int:
        return _HASH

    def copy(self) -> _Flags:
        """The flags under which what this function calls is compiled: the same whoever calls this function."""
        copied = _Flags(self)
        copied._values.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
        return copied


_DEFAULTS = Flags().values()
_HASH = hash(Flags())  # the hash of the names: the same for all flags


class _Library(JITCodeLibrary):
    """Code of a function."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """As Numba's, which sets up the passes anew for each function, also for those that are only declared."""
        ll_module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                manager.run(function, builder)


class _PieceLibrary(_Library):
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


class _NoCollection(event.Listener):
    """Keeps Python from looking for garbage while a function is compiled. Numba's lock is held all the time."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def on_start(self, event: Any) -> None:
        """A compilation begins, maybe within another."""
        if self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """A compilation ends, also by an error."""
        self._depth -= 1
        if self._depth == 0 and self._was_on:
            gc.enable()


event.register("numba:compile", _NoCollection())
