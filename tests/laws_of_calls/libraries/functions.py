"""Functions that authors put before and after a field, for what pydantic's core reads."""

from __future__ import annotations

from random import Random
from typing import Final

from tests.laws_of_calls.spec import FieldSpec, Function, Switches

__all__ = ["annotation", "drawn", "is_written"]

# By kind: functions that take more than the type, that take the same, and that judge or change.
WIDENING: Final = {
    "int": (
        Function("before", "widen_int"),
        Function("wrap", "wrap_int"),
        Function("plain", "plain_int"),
    ),
    "str": (Function("before", "widen_str"),),
    "date": (Function("before", "widen_date"),),
    "list": (Function("before", "split_text"),),
}
SAME: Final = (Function("before", "untouched"), Function("wrap", "through"))
AFTER: Final = {
    "int": (Function("after", "check_int"), Function("after", "plus_one", changes=True)),
    "str": (Function("after", "check_str"), Function("after", "shout", changes=True)),
}
MARKS: Final = {
    "before": "BeforeValidator({})",
    "wrap": "WrapValidator({})",
    "plain": "PlainValidator({}, json_schema_input_type=int)",
    "after": "AfterValidator({})",
}


def drawn(random: Random, field: FieldSpec, *, decorated: float = 0.0) -> Function:
    """Return a function that fits a field; `decorated` is how often it is a method."""
    kind = field.shape.kind
    if kind == "int" and field.shape.text != "int":
        kind = "constrained"  # a plain function would drop the constraint
    chosen = random.choice([*SAME, *WIDENING.get(kind, ()) * 2, *AFTER.get(kind, ()) * 2])
    is_decorated = chosen.mode != "plain" and random.random() < decorated
    return Function(chosen.mode, chosen.name, chosen.changes, is_decorated)


def annotation(field: FieldSpec, switches: Switches) -> str:
    """Write a field's type, with the functions that stand in it."""
    marks = [
        MARKS[each.mode].format(each.name)
        for each in field.functions
        if not each.decorated and is_written(each, switches)
    ]
    return f"Annotated[{', '.join((field.shape.text, *marks))}]" if marks else field.shape.text


def is_written(function: Function, switches: Switches) -> bool:
    """Whether a twin has the function: a twin without functions keeps functions that judge."""
    return switches.functions or not function.opens
