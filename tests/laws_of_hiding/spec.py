"""Random tools: classes inside each other, of names and defaults that no text has by chance."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

__all__ = ["NOTHING", "TAG", "ClassSpec", "FieldSpec", "Kind", "draw", "instance"]

NOTHING: Final = object()
TAG: Final = "kind"
LETTERS: Final = "bcdfghjkmnpqrstvwxz"
MOST_DEPTH: Final = 3
Form = Literal["str", "int", "object", "optional", "list", "map", "union", "self", "selves"]
HOLDING: Final[tuple[Form, ...]] = (
    "object", "object", "optional", "optional", "list", "map", "union",
)  # fmt: skip
RECURRING: Final[tuple[Form, ...]] = ("self", "selves")


@dataclass(slots=True, eq=False)
class Kind:
    """The kind of a field's values, and the classes of the objects among them."""

    form: Form
    classes: tuple[ClassSpec, ...] = ()


@dataclass(slots=True, eq=False)
class FieldSpec:
    """One field: required, with a default in JSON, or filled by the class as a factory."""

    name: str
    kind: Kind
    default: Any = NOTHING
    has_factory: bool = False

    @property
    def is_required(self) -> bool:
        return self.default is NOTHING and not self.has_factory


@dataclass(slots=True, eq=False)
class ClassSpec:
    """A class, which stands at one place only; in a union it has a tag."""

    name: str
    fields: list[FieldSpec] = field(default_factory=list["FieldSpec"])
    tag: str | None = None

    def walk(self, prefix: str = "") -> Iterator[tuple[str, FieldSpec]]:
        """Yield every field at its path, through lists, maps and unions."""
        for each in self.fields:
            yield f"{prefix}{each.name}", each
            for cls in each.kind.classes:
                if cls is not self:
                    yield from cls.walk(f"{prefix}{each.name}.")

    def classes(self) -> Iterator[ClassSpec]:
        """Yield the classes inside, then itself."""
        for each in self.fields:
            for cls in each.kind.classes:
                if cls is not self:
                    yield from cls.classes()
        yield self

    @property
    def can_be_empty(self) -> bool:
        """Whether an object of no arguments can be made."""
        return self.tag is None and not any(each.is_required for each in self.fields)


class _Drawing:
    def __init__(self, random: Random, without: Container[str] = ()) -> None:
        self.random, self.without = random, without
        self.count = 0

    def token(self, first: str) -> str:
        return first + "".join(self.random.choices(LETTERS, k=9))

    def cls(self, depth: int, tag: str | None = None) -> ClassSpec:
        self.count += 1
        drawn = ClassSpec("Root" if depth == 0 else f"M{self.count}", tag=tag)
        for _ in range(self.random.randint(2, 4)):
            drawn.fields.append(self.field(drawn, depth))
        return drawn

    def field(self, owner: ClassSpec, depth: int) -> FieldSpec:
        form = self.form(depth)
        drawn = FieldSpec(self.token("zn"), self.kind(form, owner, depth))
        if form in ("self", "selves"):
            drawn.default = None if form == "self" else []
        elif self.random.random() < 0.7:
            self.fill(drawn)
        return drawn

    def form(self, depth: int) -> Form:
        forms: tuple[Form, ...] = ("str", "str", "int")
        if depth < MOST_DEPTH:
            forms = (*forms, *HOLDING)
        if depth > 0:
            forms = (*forms, *RECURRING)
        return self.random.choice([form for form in forms if form not in self.without])

    def kind(self, form: Form, owner: ClassSpec, depth: int) -> Kind:
        if form in ("self", "selves"):
            return Kind(form, (owner,))
        if form in ("str", "int"):
            return Kind(form)
        if form != "union":
            return Kind(form, (self.cls(depth + 1),))
        forms = tuple(self.cls(depth + 1, tag) for tag in ("a", "b"))
        if self.random.random() < 0.5:  # a name that both have
            shared = FieldSpec(self.token("zn"), Kind("str"))
            for cls in forms:
                cls.fields.append(shared)
        return Kind(form, forms)

    def fill(self, drawn: FieldSpec) -> None:
        """Set a default of the field, if its kind can have one."""
        form, classes = drawn.kind.form, drawn.kind.classes
        if form in ("str", "int"):
            drawn.default = self.scalar(form)
        elif form == "optional":
            drawn.default = None
        elif form in ("list", "map"):
            drawn.default = [] if form == "list" else {}
        elif form == "object" and classes[0].can_be_empty:
            drawn.has_factory = self.random.random() < 0.3
            drawn.default = NOTHING if drawn.has_factory else defaults_of(classes[0])

    def scalar(self, form: Form) -> Any:
        return self.token("zd") if form == "str" else self.random.randrange(10**8, 10**9)


def draw(random: Random, without: Container[str] = ()) -> ClassSpec:
    """Return the class of a tool's arguments, without fields of some forms."""
    return _Drawing(random, without).cls(0)


def defaults_of(cls: ClassSpec) -> dict[str, Any]:
    """Return an object of no arguments as JSON."""
    return {
        each.name: defaults_of(each.kind.classes[0]) if each.has_factory else each.default
        for each in cls.fields
    }


def instance(kind: Kind, random: Random) -> Any:
    """Return a value of a kind, of texts and numbers that occur nowhere else."""
    if kind.form in ("str", "int"):
        return _Drawing(random).scalar(kind.form)
    if kind.form in ("self", "optional"):
        return None
    if kind.form in ("list", "selves"):
        return []
    if kind.form == "map":
        return {}
    cls = random.choice(kind.classes)
    members = {each.name: instance(each.kind, random) for each in cls.fields}
    return members if cls.tag is None else {TAG: cls.tag, **members}
