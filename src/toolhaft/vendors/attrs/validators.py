"""Constraints of `attrs.validators` as annotations, so that the schema has them too.

A validator that is not known here adds nothing to the schema; it still runs, when the object is
made. The validators are recognised by the names of their classes, which attrs keeps private; a
test makes each by its public function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Optional, Union, get_args, get_origin

from toolhaft.vendors.schema_writer import constants, enum_schema, portable_pattern

__all__ = ["constrain_type", "functions_in"]


def constrain_type(tp: Any, validator: Any) -> Any:
    """Add the constraints of a validator to an annotation.

    >>> import attrs
    >>> constrain_type(int, attrs.validators.ge(1))
    typing.Annotated[int, Ge(ge=1)]
    """
    if validator is None:
        return tp
    kind = type(validator).__name__
    if kind == "_AndValidator":
        for part in getattr(validator, "_validators", ()):
            tp = constrain_type(tp, part)
        return tp
    if kind == "_OptionalValidator":
        return _optional(tp, validator.validator)
    reader = _READERS.get(kind)
    return tp if reader is None else reader(tp, validator)


def functions_in(validator: Any) -> Iterator[Any]:
    """Yield a validator and every validator inside it."""
    yield validator
    for name in _NESTED:
        nested = getattr(validator, name, None)
        for inner in nested if isinstance(nested, list | tuple) else (nested,):
            if inner is not None:
                yield from functions_in(inner)


def _optional(tp: Any, validator: Any) -> Any:
    """Constrain every member of a union but null."""
    if get_origin(tp) not in (Union, UnionType):
        return tp
    non_null = reduce(or_, (member for member in get_args(tp) if member is not NoneType))
    return Optional[constrain_type(non_null, validator)]  # noqa: UP045 - `|` knows no annotated types


def _number(tp: Any, validator: Any) -> Any:
    import annotated_types

    constraint = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge"}.get(validator.compare_op)
    return (
        Annotated[tp, getattr(annotated_types, constraint)(validator.bound)] if constraint else tp
    )


def _length(tp: Any, validator: Any) -> Any:
    import annotated_types

    if type(validator).__name__ == "_MaxLengthValidator":
        return Annotated[tp, annotated_types.MaxLen(validator.max_length)]
    return Annotated[tp, annotated_types.MinLen(validator.min_length)]


def _members(tp: Any, validator: Any) -> Any:
    """A closed choice, where the members are JSON scalars, or enum members, of the type."""
    members = _options(validator)
    if not members or any(type(member) is not tp for member in members):
        return tp
    if isinstance(tp, type) and issubclass(tp, Enum):
        return _enum_members(tp, members)
    return Literal[tuple(members)] if tp in SCALARS else tp


def _options(validator: Any) -> list[Any]:
    """Return the options as written; a set's options in an order that no hash seed changes."""
    options = getattr(validator, "_original_options", validator.options)
    unordered = isinstance(options, set | frozenset)
    return sorted(options, key=repr) if unordered else list(validator.options)


def _enum_members(tp: Any, members: list[Any]) -> Any:
    """List some members of an enum in the schema alone: a `Literal` would compare objects."""
    from pydantic import WithJsonSchema

    values = constants(member.value for member in members)
    return tp if values is None else Annotated[tp, WithJsonSchema(enum_schema(values))]


def _instance(tp: Any, validator: Any) -> Any:
    """Use the checked types, where the annotation is `Any` or `object`."""
    kinds = validator.type if isinstance(validator.type, tuple) else (validator.type,)
    return reduce(or_, kinds) if tp in (Any, object) else tp


def _pattern(tp: Any, validator: Any) -> Any:
    from pydantic import Field, StringConstraints

    compiled = validator.pattern
    start, end = _ENDS.get(getattr(validator.match_func, "__name__", ""), (None, None))
    if compiled.flags & ~re.UNICODE or start is None:
        return tp
    if _is_portable(compiled.pattern):
        return Annotated[tp, StringConstraints(pattern=f"{start}{compiled.pattern}{end}")]
    pattern = portable_pattern(f"{start}{compiled.pattern}{end}")
    return tp if pattern is None else Annotated[tp, Field(json_schema_extra={"pattern": pattern})]


def _is_portable(pattern: str) -> bool:
    """Whether pydantic's engine compiles it: it has no look-around and no back references."""
    from pydantic_core import SchemaError, SchemaValidator

    try:
        SchemaValidator({"type": "str", "pattern": pattern})
    except SchemaError:
        return False
    return True


def _items(tp: Any, validator: Any) -> Any:
    """A validator of all items, and one of the whole."""
    origin, arguments = get_origin(tp), get_args(tp)
    if origin in (list, set, frozenset, tuple) and arguments[1:] in ((), (...,)):
        generic: Any = origin
        tp = generic[(constrain_type(arguments[0], validator.member_validator), *arguments[1:])]
    return constrain_type(tp, validator.iterable_validator)


def _entries(tp: Any, validator: Any) -> Any:
    """Validators of keys and of values, and one of the whole."""
    arguments = get_args(tp)
    if get_origin(tp) is dict:
        key, value = arguments
        checks = validator.key_validator, validator.value_validator
        mapping: Any = dict
        tp = mapping[constrain_type(key, checks[0]), constrain_type(value, checks[1])]
    return constrain_type(tp, validator.mapping_validator)


# Where a validator keeps others.
_NESTED: Final = (
    "_validators", "validators", "validator", "member_validator", "iterable_validator",
    "key_validator", "value_validator", "mapping_validator",
)  # fmt: skip
SCALARS: Final = (str, int, bool)
# The function of `re` that is used, as the ends of a pattern that is searched for.
_ENDS: Final = {"fullmatch": ("^(?:", ")$"), "match": ("^(?:", ")"), "search": ("", "")}
_READERS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "_NumberValidator": _number,
    "_MinLengthValidator": _length,
    "_MaxLengthValidator": _length,
    "_InValidator": _members,
    "_InstanceOfValidator": _instance,
    "_MatchesReValidator": _pattern,
    "_DeepIterable": _items,
    "_DeepMapping": _entries,
}
