"""Numba's compiler without the passes that the functions of this package do not need.

Most of Numba's passes are for features that are not used here.  The type of a call of a built-in
function is cached by its arguments; Numba tries dozens of candidates each time.  Helpers are
neither optimized alone nor made executable: they are linked into the functions that Python calls.

This module uses undocumented parts of Numba.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, ClassVar

from numba.core import typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target

CLOSURES = untyped_passes.InlineClosureLikes  # also comprehensions
PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    CLOSURES,
    untyped_passes.GenericRewrites,  # raise, print, places in tuples
    untyped_passes.ReconstructSSA,
    untyped_passes.DeadBranchPrune,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)
HELPER_LEVEL = 1  # the level of optimization of a helper before it is linked into its callers
FUNCTION: Any = types.Function  # the type of Numba's own functions
_signatures: dict[tuple[Any, Any], Any] = {}


def _call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the signature of a call of one of Numba's own functions."""
    key = function, args
    found = None if kws else _signatures.get(key)
    if found is None:
        found = types.BaseFunction.get_call_type(function, context, args, kws)
        # Functions written in Python are compiled again for callers with other options.
        if not kws and function.get_impl_key(found) == function.typing_key:
            _signatures[key] = found
    return found


class _HelperLibrary(JITCodeLibrary):
    """The code of a helper."""

    def _optimize_final_module(self) -> None:
        """Do nothing: the callers do this."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return a null pointer: a helper is not executable."""
        del name
        self._ensure_finalized()
        return 0


class _HelperCodegen(JITCPUCodegen):
    """Generates the code of helpers."""

    _library_class = _HelperLibrary

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: the callers do this."""

    def _function_pass_manager(self, **options: Any) -> Any:
        return super()._function_pass_manager(opt=HELPER_LEVEL, **options)


class EntryCompiler(CompilerBase):
    """Compiles a function that Python calls."""

    codegen: ClassVar[type[JITCPUCodegen]] = JITCPUCodegen

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes for a function."""
        has_closures = any(isinstance(c, CodeType) for c in self.state.func_id.code.co_consts)
        manager = PassManager("gridhouse")
        for each in PASSES:
            if each is not CLOSURES or has_closures:
                manager.add_pass(each, each.name())
        manager.finalize()
        return [manager]

    def compile_extra(self, func: Any) -> Any:
        """Return a function's code; the caller holds the compiler's lock."""
        codegen = cpu_target.target_context.codegen()
        before = codegen.__class__, FUNCTION.get_call_type
        codegen.__class__, FUNCTION.get_call_type = self.codegen, _call_type
        try:
            return super().compile_extra(func)
        finally:
            codegen.__class__, FUNCTION.get_call_type = before


class HelperCompiler(EntryCompiler):
    """Compiles a function that only compiled code calls."""

    codegen = _HelperCodegen
