"""Compiling functions by Numba, and caching the code on disk.

Code is cached in a folder named by a digest of its functions and globals
(``core.functions.digest``).  Numba's own cache does not notice a change of a function in another
file, and discards everything when a comment changes.  This module and ``core.lean_compiler`` use
undocumented parts of Numba.
"""

from __future__ import annotations

import functools
import sys
import threading
from contextlib import contextmanager, suppress
from opcode import opmap
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

import numba
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.runtime.nrt import rtsys

from gridhouse.core.compile_queue import cache_folder, warn_once
from gridhouse.core.errors import NotCompiledError
from gridhouse.core.functions import copied
from gridhouse.core.lean_compiler import EntryCompiler, HelperCompiler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FunctionType

NJIT: Any = numba.njit  # its types lack the undocumented options
_local = threading.local()  # ``strict``: whether this thread may only load compiled code
_lost: list[str] = []  # the functions whose code could not be written to disk


@contextmanager
def only_loaded() -> Iterator[None]:
    """Forbid this thread to compile, since the compiler would block Python.

    Code that is not on disk raises NotCompiledError.
    """
    before, _local.strict = getattr(_local, "strict", False), True
    try:
        yield
    finally:
        _local.strict = before


def is_kept() -> bool:
    """Tell whether all code compiled by this process is on disk."""
    return not _lost


class _Locator(_CacheLocator):
    """Locates the code of a function in a folder, whatever its source."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._py_file = ""

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return "0"


class _Cache(FunctionCache):
    """The code of a function on disk; damaged code counts as missing.

    ``prepare`` is called before the function is compiled.
    """

    def __init__(self, function: FunctionType, folder: Path, prepare: Callable[[], None]) -> None:
        class Kept:
            @staticmethod
            def from_function(*_: Any) -> _Locator:
                return _Locator(folder)

        class Found(CompileResultCacheImpl):
            _locator_classes: Any = (Kept,)

        self._impl_class = Found
        self._prepare = prepare
        super().__init__(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code of a function, None if it is missing and may be compiled.

        Raises NotCompiledError if it may not be compiled.  Numba would first import all that it can
        compile, which takes longer than loading.  The code here needs only Numba's runtime for
        memory.
        """
        try:
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(sig, target_context)
        except Exception as error:  # a damaged file can raise anything
            warn_once(f"{self.cache_path}: damaged, and compiled again ({error!r})")
            found = None
            with suppress(OSError):  # an index that cannot be read could not be added to either
                self._cache_file.flush()
        if found is None:
            if getattr(_local, "strict", False):
                raise NotCompiledError(f"{self._name} has not been compiled yet")
            self._prepare()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code of a function to disk, with the environments of its parts."""
        for environment in data._find_referenced_environments():
            data.codegen.set_env(environment.env_name, environment)
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _lost.append(self._name)
            warn_once(f"{self.cache_path}: {error.strerror}; what is compiled is not kept")


class Compiled(ModuleType):
    """A specialized module whose functions are compiled, or read from disk, at their first call.

    Python calls *entries*.  An entry calls the function itself, a *part*, which is linked into it.
    Compiled code calls parts directly.
    """

    def __init__(
        self, short: str, digest: str, own: dict[str, FunctionType], names: dict[str, Any]
    ) -> None:
        """Take the functions, and the values of their globals."""
        super().__init__(f"gridhouse._compiled.{short}_{digest}")
        vars(self).update((name, value) for name, value in names.items() if name not in own)
        self.DIGEST = digest
        self._own = own
        self._names = names
        # Modules that make no lists only use arrays owned by their callers.  Without ``_nrt=False``
        # every call would count references to its arrays by atomic operations, which take up to
        # half of the time of a search.
        lists = any(makes_lists(function.__code__) for function in own.values())
        self._options = {
            "nogil": True,
            "error_model": "numpy",
            "_nrt": lists,
            "forceinline": names.get("INLINED", False),
        }

    def __getattr__(self, name: str) -> Any:
        """Return an entry, which is made at its first use."""
        own = vars(self).get("_own", {})
        if name not in own:
            raise AttributeError(f"{self.__name__} has no {name}")
        names: dict[str, Any] = {}
        code = own[name].__code__
        arguments = ", ".join(code.co_varnames[: code.co_argcount])
        exec(f"def {name}({arguments}): return part({arguments})", names)
        names[name].__module__ = self.__name__
        entry = NJIT(pipeline_class=EntryCompiler, **self._options)(names[name])
        entry._cache = _Cache(
            names[name],
            cache_folder() / self.DIGEST,
            lambda: names.update(part=getattr(self.parts, name)),
        )
        setattr(self, name, entry)
        return entry

    @functools.cached_property
    def parts(self) -> ModuleType:
        """The module as compiled code sees it."""
        made = ModuleType(f"{self.__name__}_parts")
        for name, value in self._names.items():
            setattr(made, name, _part_of(value))
        for name, function in self._own.items():
            setattr(made, name, self._part(copied(function, vars(made), self)))
        return made

    def _part(self, function: FunctionType) -> Any:
        """Return a function to be linked into its callers.

        All integer arguments are passed as 64-bit integers: otherwise a function would be compiled
        again for every constant and every narrower type of an argument.
        """
        options = {**self._options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        part = NJIT(pipeline_class=HelperCompiler, **options)(function)
        fold, template = part.fold_argument_types, part.get_call_template

        def folded(args: Any, kws: Any) -> Any:
            signature, args = fold(args, kws)
            return signature, tuple(map(_widened, args))

        def call_template(args: Any, kws: Any) -> Any:
            _, args = folded(args, kws)
            return template(args, {})

        part.fold_argument_types = folded
        part.get_call_template = call_template
        return part


def _part_of(value: Any) -> Any:
    """Return the value of a global for compiled code: parts in the place of entries."""
    if isinstance(value, Compiled):
        return value.parts
    if isinstance(value, Dispatcher):
        module = sys.modules.get(value.py_func.__module__)
        if isinstance(module, Compiled):
            return getattr(module.parts, value.py_func.__name__)
        return value
    return value


def makes_lists(code: CodeType) -> bool:
    """Tell whether a function, or a comprehension in it, makes a list."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    # Every second byte is an instruction, the others are arguments.
    return opmap["BUILD_LIST"] in code.co_code[::2] or any(map(makes_lists, inner))


def _widened(kind: Any) -> Any:
    """Return the type in which an argument is passed."""
    kind = types.unliteral(kind)
    return types.int64 if getattr(kind, "signed", False) else kind
