"""The facts about a random type by which the laws judge, other than its source text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

__all__ = ["NOT_JSON", "TAG", "FieldSpec", "Function", "ModelSpec", "Shape", "Switches", "TypeSpec"]

# The JSON form of a default that has none.
NOT_JSON: Final = object()

# The field that tells the classes of a union apart; the only name that two classes share.
TAG: Final = "kind"

Extra = Literal["ignore", "forbid", "allow"]


@dataclass(frozen=True, slots=True)
class Shape:
    """An annotation: the kind of value, its source text, and its parts."""

    kind: str
    text: str
    inner: tuple[Shape, ...] = ()

    def models(self) -> Iterator[str]:
        """Name every class that it mentions."""
        if self.kind == "model":
            yield self.text
        for each in self.inner:
            yield from each.models()

    def unions(self) -> Iterator[Shape]:
        """Yield every union in it."""
        if self.kind == "union":
            yield self
        for each in self.inner:
            yield from each.unions()


@dataclass(frozen=True, slots=True)
class Function:
    """An author's function on a field: where it stands, and what it does to what comes."""

    mode: Literal["before", "wrap", "plain", "after", "converter"]
    name: str
    changes: bool = False
    decorated: bool = False

    @property
    def opens(self) -> bool:
        """Whether it stands before the type, so that the field may take more than its schema."""
        return self.mode != "after"


@dataclass(slots=True)
class FieldSpec:
    """One declared field; `key` is its name in the schema, `others` all further names of it.

    `stored` is the attribute that holds it, where that is not the field's own name.
    """

    name: str
    key: str
    shape: Shape
    required: bool = True
    default: str | None = None
    default_json: Any = NOT_JSON
    default_is_refused: bool = False
    factory: str | None = None
    factory_text: str = ""
    others: tuple[str, ...] = ()
    stored: str | None = None
    options: dict[str, str] = field(default_factory=dict[str, str])
    functions: tuple[Function, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether an author's function makes another value of one that the schema accepts."""
        return any(each.changes for each in self.functions)

    @property
    def is_opened(self) -> bool:
        return any(each.opens for each in self.functions)


@dataclass(slots=True)
class ModelSpec:
    """One class, TypedDict or function; `options` are its config or its decorator's arguments.

    `lines` stand in its body as they are; `opening` does too: an author's function before the
    whole. `others` are names that are no input (computed fields), `strays` names that mean nothing
    to the schema and might to the class (private attributes). `moves` says that one declared value
    takes part in another, `tag` is the key that tells the class.
    """

    name: str
    library: str
    fields: list[FieldSpec]
    extra: Extra = "ignore"
    options: dict[str, str] = field(default_factory=dict[str, str])
    settings: dict[str, str] = field(default_factory=dict[str, str])
    lines: list[str] = field(default_factory=list[str])
    opening: list[str] = field(default_factory=list[str])
    others: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()
    moves: bool = False
    tag: str | None = None

    @property
    def is_changed(self) -> bool:
        return self.moves or bool(self.settings)

    @property
    def key_names(self) -> set[str]:
        return {each.key for each in self.fields}


@dataclass(frozen=True, slots=True)
class Switches:
    """The parts that a twin of a type lacks, and the root field with another default."""

    functions: bool = True
    settings: bool = True
    changed: str | None = None


@dataclass(slots=True)
class TypeSpec:
    """A random type of one vendor; `refusal` says why its definition must be refused."""

    vendor: str
    models: list[ModelSpec]
    refusal: str | None = None
    extra: Literal["ignore", "forbid"] | None = None

    @property
    def root(self) -> ModelSpec:
        return self.models[-1]

    def model(self, name: str) -> ModelSpec:
        return next(each for each in self.models if each.name == name)

    def reached(self) -> set[str]:
        """Name the classes that the root is made of."""
        return self._reached([self.root.name])

    def _reached(self, waiting: list[str]) -> set[str]:
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                fields = self.model(name).fields
                waiting += [each for field in fields for each in field.shape.models()]
        return found

    def fields(self) -> Iterator[FieldSpec]:
        for model in self.models:
            yield from model.fields

    @property
    def opened(self) -> set[str]:
        """The keys of fields that an author's function stands before; no two fields share any."""
        return {each.key for each in self.fields() if each.is_opened}

    @property
    def unkept(self) -> set[str]:
        """The keys of what an object is given for `__post_init__` alone."""
        return {each.key for each in self.fields() if each.stored is not None}

    @property
    def opened_classes(self) -> set[str]:
        """The keys of fields that hold a class with a function before the whole."""
        classes = {each.name for each in self.models if each.opening}
        return {each.key for each in self.fields() if classes & set(each.shape.models())}

    @property
    def has_openings(self) -> bool:
        return bool(self.opened) or any(each.opening for each in self.models)

    @property
    def has_functions(self) -> bool:
        """Whether an author's code takes part in making the objects."""
        return (
            any(each.functions for each in self.fields())
            or any(each.opening for each in self.models)
            or self.moves
        )

    @property
    def moves(self) -> bool:
        """Whether an author's code makes one declared value of another."""
        return any(each.moves for each in self.models)

    @property
    def has_factories(self) -> bool:
        return any(each.factory for each in self.fields())

    @property
    def cannot_be_asked(self) -> bool:
        """Whether a factory needs the data, or stands where a function rewrites what is sent."""
        return self._has_unfit(self.root, set(), is_rewritten=False)

    def _has_unfit(
        self, model: ModelSpec, visited: set[tuple[str, bool]], *, is_rewritten: bool
    ) -> bool:
        is_rewritten = is_rewritten or bool(model.opening)
        if (model.name, is_rewritten) in visited:
            return False
        visited.add((model.name, is_rewritten))
        for each in model.fields:
            is_opened = is_rewritten or each.is_opened
            is_unfit = is_opened or "():" not in each.factory_text or self._is_lost(each)
            if each.factory and is_unfit:
                return True
            inner = map(self.model, each.shape.models())
            if any(self._has_unfit(one, visited, is_rewritten=is_opened) for one in inner):
                return True
        return False

    def _is_lost(self, field: FieldSpec) -> bool:
        """Whether a factory's object is rewritten when it is read again, or cannot be written."""
        models = map(self.model, field.shape.models() if field.shape.kind == "model" else ())
        return any(
            model.opening or any(each.stored is not None for each in model.fields)
            for model in models
        )

    @property
    def may_not_come_back(self) -> bool:
        """Whether a factory's value may be refused or changed when it is read as an argument."""
        return self.has_factories and (
            self.is_transforming
            or any(each.factory and each.default_is_refused for each in self.fields())
            or self._has_classes_made_whole
            or any(each.options.get("validate_default") for each in self.models)
        )

    @property
    def may_be_of_another_branch(self) -> bool:
        """Whether a function in a branch of a union may reject what the schema accepts there."""
        unions = (each for field in self.fields() for each in field.shape.unions())
        names = self._reached([name for each in unions for name in each.models()])
        models = [*map(self.model, names)]
        return any(each.opening or any(one.functions for one in each.fields) for each in models)

    @property
    def _has_classes_made_whole(self) -> bool:
        """Whether a factory makes an object with a default that is no argument."""
        odd = (
            each.default_is_refused or (each.default is not None and each.default_json is NOT_JSON)
            for each in self.fields()
        )
        return any(odd) and any(
            each.factory and each.shape.kind == "model" for each in self.fields()
        )

    @property
    def is_transforming(self) -> bool:
        """Whether objects have other values than the admitted ones."""
        return any(each.is_changed for each in self.fields()) or any(
            each.is_changed for each in self.models
        )
