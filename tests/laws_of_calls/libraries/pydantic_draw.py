"""Random pydantic models and dataclasses: every way to name, widen, fill and close a field."""

from __future__ import annotations

from typing import Final

from tests.laws_of_calls.libraries.functions import drawn
from tests.laws_of_calls.libraries.maker import Maker, recursive
from tests.laws_of_calls.spec import TAG, FieldSpec, ModelSpec, Shape

__all__ = ["PydanticClasses"]

GENERATORS: Final = (
    "to_camel",
    "upper",
    "AliasGenerator(validation_alias=to_camel, serialization_alias=upper)",
    "AliasGenerator(validation_alias=lambda name: AliasChoices(upper(name), 'the_' + name))",
)
SETTINGS: Final = (
    {"str_strip_whitespace": "True"},
    {"str_to_upper": "True"},
    {"str_to_lower": "True"},
    {"str_max_length": "6"},
    {"str_min_length": "2"},
)


class PydanticClasses:
    """A source of pydantic classes; `is_dataclass` makes them dataclasses."""

    def __init__(self, maker: Maker, *, is_dataclass: bool = False) -> None:
        self.maker = maker
        self.random = maker.random
        self.chance = maker.chance
        self.is_dataclass = is_dataclass

    def model(self, name: str, words: list[str]) -> ModelSpec:
        """Return a class of these attributes."""
        library = "pydantic_dataclass" if self.is_dataclass else "pydantic"
        model = ModelSpec(name, library, [])
        self._configure(model)
        model.fields = [self._field(model, word) for word in words]
        if self.chance(0.4):
            model.fields.append(_told_apart(name))
        if self.chance(0.06) and not any(each.default_is_refused for each in model.fields):
            model.options["validate_default"] = "True"
        if len(words) > 1 and self.chance(0.015):
            self._clash(*self.random.sample(model.fields[: len(words)], 2))
        model.fields.sort(key=lambda each: not each.required)
        if self.chance(0.1):
            model.fields.append(recursive(model, f"{words[0]}_next"))
        if not self.is_dataclass:
            self._add_lines(model)
            if self.chance(0.2):
                self._add_opening(model)
        return model

    def _configure(self, model: ModelSpec) -> None:
        extra = self.random.choice(("ignore", "forbid", "allow", None, None))
        if extra is not None:
            model.extra = extra  # type: ignore[assignment]
            model.options["extra"] = repr(extra)
        if self.chance(0.3):
            model.options["alias_generator"] = self.random.choice(GENERATORS)
        if self.chance(0.4):
            word = self.random.choice(("populate_by_name", "validate_by_name"))
            model.options[word] = "True"
        elif self.chance(0.02):
            model.options |= {"validate_by_alias": "False", "validate_by_name": "True"}
        if self.chance(0.12):
            model.settings = dict(self.random.choice(SETTINGS))
        if self.chance(0.05):
            model.options["use_enum_values"] = "False"

    # --------------------------------------------------------------------------- fields

    def _field(self, model: ModelSpec, word: str) -> FieldSpec:
        field = self.maker.field(word, model.name, ("", "", "data"))
        field.options = self._names(word)
        if self.chance(0.25):
            field.functions = (drawn(self.random, field, decorated=0.4),)
        if not field.required and self.chance(0.08):
            field.options["exclude"] = "True"
        return field

    def _clash(self, field: FieldSpec, other: FieldSpec) -> None:
        """Let a field read the key of another, by its only alias or by a further one."""
        other.options.pop("alias", None)
        other.options["validation_alias"] = f'"{other.name}"'
        mine = self.random.choice(('"{}"', f'AliasChoices("{field.name}-1", "{{}}")'))
        field.options.pop("alias", None)
        field.options["validation_alias"] = mine.format(other.name)

    def _names(self, word: str) -> dict[str, str]:
        """Return the arguments of `Field` that name a field."""
        chosen = self.random.choices(range(8), (12, 4, 2, 2, 2, 2, 2, 0.12))[0]
        return [
            {},
            {"alias": f'"{word}Alias"'},
            {"validation_alias": f'"{word}-in"'},
            {"validation_alias": f'AliasChoices("{word}-1", "{word}-2")'},
            {"validation_alias": f'AliasChoices(AliasPath("{word}-head", 0), "{word}-3")'},
            {"serialization_alias": f'"{word}-out"'},
            {"alias": f'"{word}Alias"', "serialization_alias": f'"{word}-out"'},
            {"validation_alias": f'AliasPath("{word}-head", "inner")'},
        ][chosen]

    # ---------------------------------------------------------------------------- lines

    def _add_lines(self, model: ModelSpec) -> None:
        """Add what is no input: computed and private fields, serializers."""
        first = model.fields[0].name
        if self.chance(0.12):
            word = f"{first}_shown"
            model.lines += [
                "@computed_field",
                "@property",
                f"def {word}(self) -> str:",
                f"    return str(self.{first})",
            ]
            model.others = (word,)
        if self.chance(0.12):
            model.lines.append(f"_{first}_kept: int = PrivateAttr(default_factory=lambda: 5)")
            model.strays = (f"_{first}_kept", f"{first}_kept")
        if self.chance(0.1):
            model.lines += [
                f'@field_serializer("{first}")',
                "def write_first(self, value: object) -> str:",
                '    return "hidden"',
            ]
        elif self.chance(0.06):
            model.lines += [
                "@model_serializer",
                "def write_all(self) -> dict[str, object]:",
                '    return {"all": "hidden"}',
            ]

    def _add_opening(self, model: ModelSpec) -> None:
        """Add a before-validator of the whole: one that renames, moves, widens or does nothing."""
        field = self.random.choice(model.fields)
        way = self.random.choice(("renames", "renames", "nothing", "widens", "moves"))
        body = {
            "nothing": ["return data"],
            "renames": _renaming(f'"{field.name}_old"', f'KEYS["{field.name}"]'),
            "widens": ["return {} if data == 'empty' else data"],
            "moves": self._moving(model),
        }[way]
        model.moves = way == "moves" and len(model.fields) > 1
        if way == "renames":
            model.strays += (f"{field.name}_old",)
        model.opening = [
            '@model_validator(mode="before")',
            "@classmethod",
            "def open_whole(cls, data: Any) -> Any:",
            *(f"    {line}" for line in body),
        ]

    def _moving(self, model: ModelSpec) -> list[str]:
        """Move one declared key into another that is not given."""
        same = [each for each in model.fields if each.shape.kind == "str"]
        if len(same) < 2:
            return ["return data"]
        return _renaming(f'KEYS["{same[0].name}"]', f'KEYS["{same[1].name}"]')


def _told_apart(name: str) -> FieldSpec:
    """Return the field that distinguishes classes in unions; it has one name in all of them."""
    shape = Shape("literal", f'Literal["{name}"]')
    return FieldSpec(TAG, TAG, shape, options={"alias": f'"{TAG}"'})


def _renaming(old: str, new: str) -> list[str]:
    """Write the body of a validator that moves a key; both are Python expressions."""
    return [
        f"if isinstance(data, dict) and {old} in data and {new} not in data:",
        f"    data = {{**data, {new}: data[{old}]}}",
        f"    del data[{old}]",
        "return data",
    ]
