"""Random annotations, the same for every library but for how a constraint is written."""

from __future__ import annotations

from random import Random
from typing import Final, Literal

from tests.laws_of_calls.spec import NOT_JSON, TAG, FieldSpec, ModelSpec, Shape

__all__ = ["DEFAULTS", "MEMBER", "SCALARS", "Shapes", "Style"]

Style = Literal["Field", "Meta", "annotated_types"]

SCALARS: Final = {
    "int": "int",
    "float": "float",
    "str": "str",
    "bool": "bool",
    "date": "date",
    "datetime": "datetime",
    "time": "time",
    "timedelta": "timedelta",
    "uuid": "UUID",
    "decimal": "Decimal",
    "color": "Color",
    "size": "Size",
    "tone": "Tone",
    "mood": "Mood",
    "literal": 'Literal["red", "blue"]',
    "literal_int": "Literal[1, 2]",
}
# CONTRACT.md ("Keys") refuses it for inputs: the enum is neither of text nor of whole numbers.
MEMBER: Final = "Literal[Color.RED]"
WEIGHTS: Final = {"int": 6, "float": 3, "str": 6, "bool": 2}
HASHABLE: Final = ("int", "str", "date", "uuid", "color", "size", "literal", "tone")
KEYS: Final = (
    *("str",) * 5, "int", "int", "float", "decimal", "date", "datetime", "timedelta", "uuid",
    "color", "literal", "tone",
)  # fmt: skip
# Texts and JSON forms of static defaults.
DEFAULTS: Final = {
    "int": ("3", 3),
    "float": ("1.5", 1.5),
    "str": ('"given"', "given"),
    "bool": ("True", True),
    "date": ("date(2024, 1, 2)", "2024-01-02"),
    "datetime": ("datetime(2024, 1, 2, 3, 4, 5)", "2024-01-02T03:04:05"),
    "time": ("time(3, 4, 5)", "03:04:05"),
    "timedelta": ("timedelta(hours=1)", "PT1H"),
    "uuid": (
        'UUID("123e4567-e89b-42d3-a456-426614174000")',
        "123e4567-e89b-42d3-a456-426614174000",
    ),
    "decimal": ('Decimal("2.50")', "2.50"),
    "color": ("Color.BLUE", "Blue"),
    "size": ("Size.LARGE", 2),
    "tone": ("Tone.LOW", "low"),
    "mood": ("Mood.GLAD", "glad"),
    "literal": ('"blue"', "blue"),
    "literal_int": ("2", 2),
    "optional": ("None", None),
}
# The values of a factory of the kind, from the number of its run.
FACTORIES: Final = {
    "int": "{run}",
    "float": "{run} + 0.5",
    "str": '"run " + str({run})',
    "date": "date(2020, 1, 1) + timedelta(days={run})",
    "datetime": "datetime(2020, 1, 1) + timedelta(days={run})",
    "timedelta": "timedelta(seconds={run})",
    "uuid": "UUID(int={run})",
    "decimal": "Decimal({run}) / 4",
}
BOUNDS: Final = {
    "int": ({"ge": "1", "le": "50"}, {"gt": "-5"}, {"multiple_of": "3"}, {"lt": "1000"}),
    "float": ({"gt": "0"}, {"ge": "-1", "le": "1"}, {"multiple_of": "0.5"}),
    "str": ({"min_length": "1", "max_length": "8"}, {"pattern": '"^[a-z]+$"'}, {"max_length": "3"}),
    "list": ({"min_length": "1"}, {"max_length": "2"}),
}
RENAMED: Final = {
    ("annotated_types", "ge"): "annotated_types.Ge({})",
    ("annotated_types", "gt"): "annotated_types.Gt({})",
    ("annotated_types", "le"): "annotated_types.Le({})",
    ("annotated_types", "lt"): "annotated_types.Lt({})",
    ("annotated_types", "multiple_of"): "annotated_types.MultipleOf({})",
    ("annotated_types", "min_length"): "annotated_types.MinLen({})",
    ("annotated_types", "max_length"): "annotated_types.MaxLen({})",
}
DEEPEST: Final = 2


class Shapes:
    """A source of annotations in one style, over the models that were written before."""

    def __init__(self, random: Random, style: Style) -> None:
        self.random = random
        self.style = style
        self.models: list[ModelSpec] = []

    def scalar(self) -> Shape:
        if self.random.random() < 0.002:
            return Shape("color", MEMBER)
        kinds = list(SCALARS)
        kind = self.random.choices(kinds, [WEIGHTS.get(each, 1) for each in kinds])[0]
        shape = Shape(kind, SCALARS[kind])
        return self.bound(shape) if self.random.random() < 0.3 else shape

    def bound(self, shape: Shape) -> Shape:
        """Return the same shape with a constraint, if the kind has any."""
        if shape.kind not in BOUNDS:
            return shape
        words = self.random.choice(BOUNDS[shape.kind])
        if self.style == "annotated_types" and "pattern" not in words:
            written = ", ".join(RENAMED[self.style, key].format(at) for key, at in words.items())
        else:
            maker = "msgspec.Meta" if self.style == "Meta" else "Field"
            written = f"{maker}({', '.join(f'{key}={at}' for key, at in words.items())})"
        return Shape(shape.kind, f"Annotated[{shape.text}, {written}]", shape.inner)

    def shape(self, depth: int = 0) -> Shape:
        """Return any annotation."""
        kinds = ("scalar", "optional", "list", "dict", "set", "tuple", "union", "model", "models")
        weights = (10, 3, 2, 2, 1, 1, 1, 4, 1) if depth < DEEPEST else (1,)
        chosen = self.random.choices(kinds[: len(weights)], weights)[0]
        made: Shape = getattr(self, f"_{chosen}")(depth)
        return made

    def _scalar(self, _: int) -> Shape:
        return self.scalar()

    def _optional(self, depth: int) -> Shape:
        inner = self.shape(depth + 1)
        if inner.kind == "optional":
            return inner
        return Shape("optional", f"{inner.text} | None", (inner,))

    def _list(self, depth: int) -> Shape:
        inner = self.shape(depth + 1)
        shape = Shape("list", f"list[{inner.text}]", (inner,))
        return self.bound(shape) if self.random.random() < 0.2 else shape

    def _dict(self, depth: int) -> Shape:
        kind = self.random.choice(KEYS)
        inner = self.shape(depth + 1)
        key = Shape(kind, SCALARS[kind])
        return Shape("dict", f"dict[{key.text}, {inner.text}]", (key, inner))

    def _set(self, _: int) -> Shape:
        kind = self.random.choice(HASHABLE)
        word = self.random.choice(("set", "frozenset"))
        return Shape("set", f"{word}[{SCALARS[kind]}]", (Shape(kind, SCALARS[kind]),))

    def _tuple(self, depth: int) -> Shape:
        inner = self.shape(depth + 1), self.scalar()
        return Shape("tuple", f"tuple[{inner[0].text}, {inner[1].text}]", inner)

    def _union(self, _: int) -> Shape:
        kinds = self.random.choice((("int", "str"), ("float", "bool"), ("bool", "str", "int")))
        inner = tuple(Shape(kind, SCALARS[kind]) for kind in kinds)
        return Shape("union", " | ".join(each.text for each in inner), inner)

    def _model(self, _: int) -> Shape:
        if not self.models:
            return self.scalar()
        return Shape("model", self.random.choice(self.models).name)

    def _models(self, depth: int) -> Shape:
        """Return a union of two classes without factories, because losing branches are made too."""
        plain = [each for each in self.models if not any(at.factory for at in each.fields)]
        plain = [each for each in plain if each.library != "msgspec" or each.tag]
        if len(plain) < 2 or len({each.library for each in plain}) > 1:
            return self._model(depth)
        chosen = self.random.sample(plain, 2)
        inner = tuple(Shape("model", each.name) for each in chosen)
        text = " | ".join(each.text for each in inner)
        if all(any(at.name == TAG for at in each.fields) for each in chosen):
            text = f'Annotated[{text}, Field(discriminator="{TAG}")]'
        return Shape("union", text, inner)

    # ------------------------------------------------------------------------- defaults

    def give_default(self, field: FieldSpec, *, refused: bool = False) -> None:
        """Set a static default of the field, or one that its own schema rejects."""
        field.required = False
        kind = field.shape.kind
        if refused and kind not in ("optional", "union"):
            field.default, field.default_json = self.random.choice((("None", None), ("...", 0)))
            if field.default == "...":
                field.default, field.default_json = 'float("inf")', NOT_JSON
            field.default_is_refused = True
        elif kind in DEFAULTS:
            field.default, field.default_json = DEFAULTS[kind]
            field.default_is_refused = kind in BOUNDS and field.shape.text != SCALARS[kind]
        else:
            field.required = True

    def give_factory(self, field: FieldSpec, name: str, parameters: str = "") -> None:
        """Set a factory of the field that is counted, with another value at each run."""
        kind = field.shape.kind
        if kind == "model":
            self._give_class(field, name)
        elif kind in FACTORIES:
            field.required, field.factory = False, name
            field.default_is_refused = field.shape.text != SCALARS[kind]
            value = FACTORIES[kind].format(run=f'count("{name}")')
            field.factory_text = f"def {name}({parameters}):\n    return {value}\n"

    def _give_class(self, field: FieldSpec, name: str) -> None:
        """Let a factory make an object of a class that asks for nothing."""
        found = next(each for each in self.models if each.name == field.shape.text)
        if found.fields and not any(each.required for each in found.fields):
            field.required, field.factory = False, name
            lines = (f"def {name}():", f'    count("{name}")', f"    return {field.shape.text}()")
            field.factory_text = "\n".join((*lines, ""))
