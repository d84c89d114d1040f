"""The attributes of a function that Python and frameworks read, other than calling it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Self

from toolhaft.definition.annotations import own_annotations
from toolhaft.definition.options import AllOptions
from toolhaft.definition.signature import MISSING

if TYPE_CHECKING:
    from toolhaft.call.limits import Limit
    from toolhaft.call.permission import Permission
    from toolhaft.tools.definition import Definition

__all__ = ["FunctionLike"]

# Of these a class has its own, which would be found before that of a function.
COPIED: Final = ("__module__", "__doc__", "__name__", "__qualname__")
COPIED_IF_THERE: Final = ("__type_params__",)
FIELDS: Final = (
    "_boundary", "_bounds", "_definition", "_object", "_permission", "_template", "_unbound",
)  # fmt: skip


class _OfTools:
    """An attribute that tools have and their class has not: `inspect` and pydantic ask both.

    `__getattr__` would say the same, and make every attribute of a tool slow.
    """

    def __init__(self, path: str) -> None:
        self.read: Callable[[Any], Any] = attrgetter(path)

    def __get__(self, tool: Any, owner: type | None = None) -> Any:
        if tool is None:
            raise AttributeError(f"{owner}: only the tools have it")
        return self.read(tool)


class FunctionLike:
    """An immutable object with a function's names, signature, docstring, copies and pickles."""

    __slots__ = ("__dict__", "__weakref__", "_bounds", "_definition", "_object", "_permission")

    if TYPE_CHECKING:
        __name__: str
        __qualname__: str
        __wrapped__: Any

    def __init__(
        self,
        definition: Definition,
        bound_to: Any,
        bounds: tuple[Limit, ...],
        permission: Permission,
    ) -> None:
        self._definition = definition
        self._object = bound_to
        self._bounds = bounds
        self._permission = permission
        function, attributes = self._outer_function, self.__dict__
        for name in COPIED:
            attributes[name] = getattr(function, name)
        attributes["__annotations__"] = own_annotations(function)
        for name in COPIED_IF_THERE:
            if hasattr(function, name):
                attributes[name] = getattr(function, name)

    if not TYPE_CHECKING:  # checkers would take every misspelt attribute for right
        __globals__ = _OfTools("_outer_function.__globals__")
        # `inspect` takes what has the code and the defaults of a function for one.
        __code__ = _OfTools("_outer_function.__code__")
        __defaults__ = _OfTools("_outer_function.__defaults__")
        __kwdefaults__ = _OfTools("_outer_function.__kwdefaults__")
        __isabstractmethod__ = _OfTools("_outer_function.__isabstractmethod__")
        __wrapped__ = _OfTools("_function")
        # Of a tool, not of a field of this type.
        __get_pydantic_core_schema__ = _OfTools("_pydantic_schema")

        def __setattr__(self, name: str, value: object) -> None:
            """Take what frameworks note on functions, and nothing that a tool is made of."""
            is_ours = hasattr(type(self), name) or name in AllOptions.__annotations__
            if is_ours and name not in FIELDS:
                raise AttributeError(f"{name}: a tool is immutable; make another by replace(...)")
            object.__setattr__(self, name, value)

    @property
    def _outer_function(self) -> Any:
        """The object that has the names, the docstring and the code of a function."""
        return self._definition.handler.outer_function

    @property
    def _function(self) -> Any:
        """The function that a call by the program runs: bound if the tool is bound."""
        call: Any = self._definition.handler.call
        return call if self._object is MISSING else call.__get__(self._object)

    def _pydantic_schema(self, source: Any, handler: Any) -> Any:
        """Be a function to `TypeAdapter`, which servers of tools make of functions."""
        del source
        return handler.generate_schema(self._function)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the tool itself; for a bound tool, a tool bound to a copy of its object."""
        if self._object is MISSING or isinstance(self._object, type):
            return self
        owner = deepcopy(self._object, memo)
        return type(self)(self._definition, owner, self._bounds, self._permission)

    def __reduce__(self) -> Any:
        """Pickle by reference: the name in its module, or the attribute of its object."""
        if self._object is MISSING:
            return self.__qualname__  # which pickle looks up, and refuses what it finds else
        by_reference = self._object, self.__name__
        if self._is_same(getattr(*by_reference, None)):
            return getattr, by_reference
        from pickle import PicklingError

        raise PicklingError(f"{self!r} is not the attribute {self.__name__} of its object")

    def _is_same(self, other: object) -> bool:
        fields = ("_definition", "_object", "_bounds", "_permission")
        return isinstance(other, FunctionLike) and all(
            getattr(self, field) is getattr(other, field) for field in fields
        )
