"""How data in the model's terms become data in the handler's, and back.

Terms stand beside the nodes of the derived schema, a recursive one's in a circle, as its references
do. Several may hold for one value, as several parts of a schema do; of the forms of a union those
hold that take the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.jsonio.primitives import copy_data
from toolhaft.schema.document.places import parts
from toolhaft.schema.engine import quick_matcher
from toolhaft.spec import Path
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.call_context import CONTEXT
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["Factory", "Form", "Terms", "Unfit", "to_inner", "to_outer"]
__all__ += ["is_endless", "is_hidden", "outer_path", "with_values"]

Side: TypeAlias = Literal["inner", "outer"]


class Unfit(ToolhaftError):
    """A value that the model did not send was refused: an error of the deriving program."""


class Factory(NamedTuple):
    """A function of the caller's context that makes a hidden value, and the value's own checks."""

    make: Callable[[Any], Any]
    schema: InputSchema

    def value(self, path: Path) -> Any:
        """Make a value.

        Raises:
            Unfit: The type of the hidden parameter rejects it.
        """
        data = to_json_data(self.make(CONTEXT.get()), foreign=Adapter.foreign)
        issues = self.schema.admit({path[-1]: data}).issues
        if issues:
            raise Unfit(f"{'.'.join(map(str, path))}: the hidden value: {issues[0].message}")
        return data


class Form(NamedTuple):
    """One form of a union: which values are of it, on each side, and its terms."""

    inner: Callable[[], InputSchema]
    outer: Callable[[], InputSchema]
    terms: Terms

    def schema(self, side: Side) -> InputSchema:
        return self.inner() if side == "inner" else self.outer()

    def takes(self, data: Any, side: Side) -> bool:
        """Whether a value may be of this form."""
        return self.schema(side).gate.is_valid(data)

    def declares(self, data: Any, side: Side) -> int:
        """Count the keys of data that this form declares: the most tell which form is meant."""
        if not isinstance(data, dict):
            return 0
        root = self.schema(side).marked
        return sum(
            any(name in part.get("properties", ()) for part in parts(root, root)) for name in data
        )


@dataclass(slots=True, eq=False)
class Terms:
    """How the keys of an object are renamed and completed, and the terms of what is inside.

    `names` has the handler's name for each other one; everything else is by the handler's names.
    `fills` are the arguments, in the model's terms, of what is made where the model sends nothing;
    `makes_object` says that null is such a place too. `parts` hold for the same value as these
    terms, and `unions` where a form does.
    """

    names: dict[str, str] = field(default_factory=dict[str, str])
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    factories: dict[str, Factory] = field(default_factory=dict[str, Factory])
    defaults: dict[str, Any] = field(default_factory=dict[str, Any])
    fills: dict[str, Any] = field(default_factory=dict[str, Any])
    inside: dict[str, Terms] = field(default_factory=dict[str, "Terms"])
    declared: frozenset[str] = frozenset()
    members: list[tuple[str | None, Terms]] = field(
        default_factory=list[tuple[str | None, "Terms"]]
    )
    first: list[Terms] = field(default_factory=list["Terms"])
    items: Terms | None = None
    parts: list[Terms] = field(default_factory=list["Terms"])
    unions: list[list[Form]] = field(default_factory=list[list[Form]])
    makes_object: bool = False
    is_needed: bool = False

    @property
    def is_same(self) -> bool:
        """Whether nothing is changed."""
        return not (
            self.names
            or self.values
            or self.factories
            or self.defaults
            or self.fills
            or self.inside
            or self.members
            or self.first
            or self.items
            or self.parts
            or self.unions
        )

    @property
    def are_of_keys(self) -> bool:
        """Whether only keys of one object are renamed, and values added that are known."""
        others = (self.factories, self.fills, self.inside, self.members, self.first, self.parts)
        return not (any(others) or self.items or self.unions or self.makes_object)

    def hides_any(self, unfinished: Sequence[Terms] = ()) -> bool:
        """Whether something is hidden here or inside, or may be in terms that are not finished."""
        waiting = {id(terms) for terms in unfinished}
        return any(
            terms.values or terms.factories or id(terms) in waiting for terms in self.reached()
        )

    def reached(self) -> Iterator[Terms]:
        """Yield these terms and all terms inside, each once."""
        seen: dict[int, Terms] = {}
        queue = [self]
        while queue:
            terms = queue.pop()
            if id(terms) not in seen:
                seen[id(terms)] = terms
                yield terms
                queue += [*terms.inside.values(), *terms.first, *terms.parts]
                queue += [inner for _, inner in terms.members]
                queue += [form.terms for forms in terms.unions for form in forms]
                queue += [] if terms.items is None else [terms.items]


def _are_alone(places: Sequence[Terms]) -> bool:
    """Whether no more terms hold beside these: there is one at most, without parts and unions."""
    if len(places) == 1:
        return not (places[0].parts or places[0].unions)
    return not places


def _holding(places: Sequence[Terms], data: Any, side: Side) -> Sequence[Terms]:
    """Return the terms that apply to a value, or all of a union's if no branch accepts it."""
    if _are_alone(places):
        return places

    def choose(forms: list[Form]) -> list[Form]:
        taking = [form for form in forms if form.takes(data, side)]
        best = max(taking, key=lambda form: form.declares(data, side), default=None)
        return forms if best is None else [best]

    return _with_parts(places, choose)


def _all_parts(places: Iterable[Terms]) -> list[Terms]:
    """Return all terms that may apply to a place, whatever its value."""
    return _with_parts(places, lambda forms: forms)


def _with_parts(places: Iterable[Terms], choose: Callable[[list[Form]], list[Form]]) -> list[Terms]:
    """Return terms with their parts and the chosen branches of their unions, each once."""
    reached: dict[int, Terms] = {}
    queue = [*places]
    while queue:
        terms = queue.pop(0)
        if id(terms) not in reached:
            reached[id(terms)] = terms
            queue += terms.parts
            queue += [form.terms for forms in terms.unions for form in choose(forms)]
    return [*reached.values()]


def _step(places: Sequence[Terms], name: str | int) -> list[Terms]:
    """Return the terms of a member by the handler's name, or of an item."""
    if isinstance(name, int):
        items = [terms.first[name] if name < len(terms.first) else terms.items for terms in places]
        return [terms for terms in items if terms is not None]
    declared = [terms.inside[name] for terms in places if name in terms.inside]
    if declared or any(name in terms.declared for terms in places):
        return declared
    members = [member for terms in places for member in terms.members]
    return [inner for pattern, inner in members if pattern is None or quick_matcher(pattern)(name)]


def to_inner(
    places: Sequence[Terms],
    data: Any,
    path: Path,
    unsent: dict[Path, Any],
    made: Mapping[Path, Any] = MappingProxyType({}),
) -> Any:
    """Rename and complete data for the handler; add the filled-in values to `unsent`.

    Each factory is called once for an object, except for values that are `made` already.

    Raises:
        Unfit: A factory's value is not valid for its parameter.
    """
    if not places:
        return data  # nothing is changed inside
    here = _holding(places, data, "outer")
    if data is None and any(terms.makes_object for terms in here):
        here = _holding(places, data := {}, "outer")
    if isinstance(data, list):
        return [
            to_inner(_step(here, at), item, (*path, at), unsent, made)
            for at, item in enumerate(data)
        ]
    if not isinstance(data, dict):
        return data
    own = _joined(here)
    inner = _renamed(own, cast("dict[str, Any]", data))
    if own.inside or own.members:
        inner = {
            name: to_inner(_step(here, name), value, (*path, name), unsent, made)
            for name, value in inner.items()
        }
    for name in own.fills.keys() - inner.keys() if own.fills else ():
        unsent[*path, name] = None
        filled = copy_data(own.fills[name])
        inner[name] = to_inner(_step(here, name), filled, (*path, name), unsent, made)
    for name, value in copy_data(_added(own, inner)).items():
        unsent[*path, name] = inner[name] = value
    for name, factory in own.factories.items():
        place = *path, name
        value = copy_data(made[place]) if place in made else factory.value(place)
        unsent[place] = inner[name] = value
    return inner


def with_values(terms: Terms, data: dict[str, Any]) -> dict[str, Any]:
    """Do what `to_inner` does by terms that are about the keys of one object alone."""
    inner = _renamed(terms, data)
    return inner | copy_data(_added(terms, inner))


def _renamed(own: Terms, data: dict[str, Any]) -> dict[str, Any]:
    names = own.names
    return {names.get(name, name): value for name, value in data.items()} if names else {**data}


def _added(own: Terms, inner: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are added to data, hidden ones and defaults, not copied."""
    if not own.defaults:
        return own.values
    defaults = {name: value for name, value in own.defaults.items() if name not in inner}
    return defaults | own.values


def is_endless(terms: Terms, name: str) -> bool:
    """Check whether what is filled in for a name has objects in which it is filled in again."""
    seen: list[tuple[Terms, str]] = []
    queue = [(terms, name)]
    while queue:
        outer, filled = queue.pop()
        for found in _filled_in(_step([outer], filled), outer.fills[filled]):
            if found == (terms, name):
                return True
            if found not in seen:
                seen.append(found)
                queue.append(found)
    return False


def _filled_in(places: Sequence[Terms], data: Any) -> Iterator[tuple[Terms, str]]:
    """Yield the terms and names of what is filled in for data of the model's, not what is in it."""
    here = _holding(places, data, "outer")
    if isinstance(data, list):
        for at, item in enumerate(data):
            yield from _filled_in(_step(here, at), item)
    elif isinstance(data, dict):
        names, keys = _joined(here).names, cast("dict[str, Any]", data)
        sent = {names.get(name, name): value for name, value in keys.items()}
        for name, value in sent.items():
            yield from _filled_in(_step(here, name), value)
        for terms in here:
            yield from ((terms, name) for name in terms.fills if name not in sent)


def to_outer(places: Sequence[Terms], data: Any) -> Any:
    """Write data of the handler's as the model would send them."""
    here = _holding(places, data, "inner")
    if isinstance(data, list):
        return [to_outer(_step(here, at), item) for at, item in enumerate(data)]
    if not isinstance(data, dict):
        return data
    outer_names = {own: name for name, own in _joined(here).names.items()}
    hidden = {name for terms in here for name in (*terms.values, *terms.factories)}
    return {
        outer_names.get(name, name): to_outer(_step(here, name), value)
        for name, value in data.items()
        if name not in hidden
    }


def outer_path(places: Sequence[Terms], path: Path) -> Path:
    """Write a path in the handler's terms in the model's."""
    if not path:
        return path
    here, name = _all_parts(places), path[0]
    outer = [new for terms in here for new, own in terms.names.items() if own == name]
    shown = outer[0] if outer else name
    return (shown, *outer_path(_step(here, name), path[1:]))


def is_hidden(places: Sequence[Terms], path: Path) -> bool:
    """Whether a path in the handler's terms leads to what the model does not see."""
    if not path:
        return False
    here, name = _all_parts(places), path[0]
    is_own = any(name in terms.values or name in terms.factories for terms in here)
    return is_own or is_hidden(_step(here, name), path[1:])


def _joined(here: Sequence[Terms]) -> Terms:
    """Join terms that hold for one value into terms of which only the mappings are read."""
    if len(here) == 1:
        return here[0]
    joined = Terms()
    for terms in here:
        joined.names.update(terms.names)
        joined.values.update(terms.values)
        joined.factories.update(terms.factories)
        joined.defaults.update(terms.defaults)
        joined.fills.update(terms.fills)
        joined.inside.update(terms.inside)
        joined.members += terms.members
    return joined
