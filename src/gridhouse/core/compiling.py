"""Functions given to Numba, and the code that it makes kept on disk.

Compiled code is kept in a folder named by what it is made of (``core.functions.digest``).  Numba's
own cache does not notice when a function in another file has changed, and forgets all when a
comment has.  What Numba does not document is used here and in ``core.lean_compiler``.
"""

from __future__ import annotations

import functools
import sys
import threading
from contextlib import contextmanager
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

NJIT: Any = numba.njit  # its types know only what is documented
_local = threading.local()  # whether this thread may only load what has been compiled
_lost: list[str] = []  # what could not be kept on disk


@contextmanager
def only_loaded() -> Iterator[None]:
    """Have this thread load compiled code and make none: the compiler would hold Python up.

    NotCompiledError is raised in its place.
    """
    before, _local.strict = getattr(_local, "strict", False), True
    try:
        yield
    finally:
        _local.strict = before


def is_kept() -> bool:
    """Tell whether all that this process has compiled is on disk."""
    return not _lost


class _Locator(_CacheLocator):
    """Says that a function's code is in a folder, however its source has changed."""

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
    """The code of one function on disk: what is damaged counts as not there.

    ``prepare`` is called before anything is compiled.
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
        """Return a function's code, None without any; raises NotCompiledError where it may not.

        Numba would first import everything that it can compile, which takes longer than to load.
        Of that, code in which nothing is hashed needs what keeps lists in memory.
        """
        try:
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(sig, target_context)
        except Exception as error:  # whatever a damaged file is read as
            warn_once(f"{self.cache_path}: damaged, and compiled again ({error!r})")
            found = None
        if found is None:
            if getattr(_local, "strict", False):
                raise NotCompiledError(f"{self._name} has not been compiled yet")
            self._prepare()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a function's code, if that can be, once its parts have what they go by."""
        for environment in data._find_referenced_environments():
            data.codegen.set_env(environment.env_name, environment)
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _lost.append(self._name)
            warn_once(f"{self.cache_path}: {error.strerror}; what is compiled is not kept")


class Compiled(ModuleType):
    """A specialized module whose functions are compiled, or read from disk, when first called.

    What Python sees are *entries*; each calls the function itself, a *part*, which becomes one with
    it.  Compiled code sees parts only.
    """

    def __init__(
        self, short: str, digest: str, own: dict[str, FunctionType], names: dict[str, Any]
    ) -> None:
        """Take the functions over, with what their globals are to be."""
        super().__init__(f"gridhouse._compiled.{short}_{digest}")
        vars(self).update((name, value) for name, value in names.items() if name not in own)
        self.DIGEST = digest
        self._own = own
        self._names = names
        # All others are lent what they work on by their callers.  Without ``_nrt=False`` every call
        # would count references to the arrays that it is given, in steps that the whole machine
        # has to see: up to half of the time of a search.
        lists = any(makes_lists(function.__code__) for function in own.values())
        self._options = {
            "nogil": True,
            "error_model": "numpy",
            "_nrt": lists,
            "forceinline": names.get("INLINED", False),
        }

    def __getattr__(self, name: str) -> Any:
        """Return an entry, made when it is first asked for."""
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
        """Give a function to Numba, to become a part of what calls it.

        All whole numbers are handed on as words: else a function would be compiled once more for
        every constant and every narrower type that it is called with.
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
    """Return what compiled code sees in the place of a global: of entries, the parts."""
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
    # Every second byte is an instruction, the others are what it is given.
    return opmap["BUILD_LIST"] in code.co_code[::2] or any(map(makes_lists, inner))


def _widened(kind: Any) -> Any:
    """Return the type as which an argument is handed on."""
    kind = types.unliteral(kind)
    return types.int64 if getattr(kind, "signed", False) else kind
