"""Which branch of a union data mean, and what distinguishes branches.

They differ by their JSON types, by a property with constants, or by their keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolhaft.schema.document.kinds import NAMES, constants_of, hashable, kind_of, names_of
from toolhaft.schema.document.references import followed, target_of

__all__ = ["ObjectForm", "Tag", "Trial", "are_apart", "are_exclusive", "constants_in"]
__all__ += ["declared_in", "keys_of", "meant_branch", "object_of", "own_keys"]
__all__ += ["tag_of", "types_of", "weight_of"]

# How many references and unions deep a branch is read: an alias of a union of aliases is four deep.
# Deeper parts are ignored.
MAX_DEPTH = 5


class Trial(NamedTuple):
    """How far data are from a branch.

    `unread` is the size of what the branch does not declare, `forbidden` the number of keys that it
    forbids, and `keeps` is whether the object would have all that it does not declare.
    """

    faults: int = 0
    unread: int = 0
    forbidden: int = 0
    keeps: bool = True


def meant_branch(trials: Sequence[Trial]) -> int | None:
    """Return the place of the branch that data mean; None if it is not clear.

    Of the branches that data fit, it is the one that declares the most of them; of several, the
    first. If they fit none, it declares all keys that any branch knows, and
    the data have at most half the faults that they have in the next one.

    >>> meant_branch([Trial(unread=2), Trial(unread=1), Trial(faults=1)])
    1
    >>> meant_branch([Trial(faults=1), Trial(faults=2)]), meant_branch([Trial(2), Trial(3)])
    (0, None)
    """
    fitting = [at for at, trial in enumerate(trials) if not trial.faults]
    if fitting:
        return _declaring_most(trials, fitting)
    reading = [at for at, trial in enumerate(trials) if not trial.unread]
    ranked = sorted(reading, key=lambda at: trials[at].faults)
    if not ranked:
        return None
    is_clear = len(ranked) == 1 or 2 * trials[ranked[0]].faults <= trials[ranked[1]].faults
    return ranked[0] if is_clear else None


def _declaring_most(trials: Sequence[Trial], fitting: Sequence[int]) -> int:
    """Return the branch that declares the most; one that keeps all keys beats a rejection."""
    meant = min(fitting, key=lambda at: trials[at][1:3])
    keeping = [at for at in fitting if trials[at].keeps]
    if trials[meant].forbidden and keeping:
        return min(keeping, key=lambda at: trials[at].unread)
    return meant


class Tag(NamedTuple):
    """A property whose constants distinguish all branches, with the allowed constants of each.

    `required` is whether every branch requires the property.
    """

    name: str
    members: tuple[tuple[Any, ...], ...]
    required: bool


def types_of(root: Any, schema: Any, depth: int = MAX_DEPTH) -> tuple[str, ...] | None:
    """Return the JSON types that a branch is limited to, in the order written, or None."""
    if not isinstance(schema, dict) or not depth:
        return () if schema is False else None
    members = constants_of(schema)
    if "type" in schema:
        names = names_of(schema)
    elif members is not None:
        names = tuple(NAMES[kind_of(member)] for member in members)
    elif "$ref" in schema:
        return types_of(root, followed(root, schema), depth - 1)
    else:
        forms: Any = schema.get("anyOf", schema.get("oneOf", [True]))
        types_of_forms = [types_of(root, form, depth - 1) for form in forms]
        if None in types_of_forms:
            return None
        names = tuple(name for types in types_of_forms for name in types or ())
    return tuple(dict.fromkeys(names))


def tag_of(root: Any, forms: Sequence[Any]) -> Tag | None:
    """The first property that has constants in every form, no constant in two of them.

    >>> tag_of({}, [{"properties": {"is": {"const": n}}} for n in (1, 2)])
    Tag(name='is', members=((1,), (2,)), required=False)
    """
    objects = [object_of(root, form) for form in forms]
    declared = [constants_in(root, described) for described in objects]
    for name in declared[0] if declared else ():
        members = tuple(tuple(constants.get(name, ())) for constants in declared)
        keys = [hashable(member) for constants in members for member in constants]
        if all(members) and len(set(keys)) == len(keys):
            return Tag(name, members, all(name in described.required for described in objects))
    return None


def own_keys(root: Any, forms: Sequence[Any]) -> tuple[frozenset[str], ...] | None:
    """Return for each branch the keys that only it requires; None if one branch has no such key.

    >>> own_keys({}, [{"required": ["all", "of"]}, {"required": ["any", "of"]}])
    (frozenset({'all'}), frozenset({'any'}))
    """
    objects = [object_of(root, form) for form in forms]
    uses = Counter(
        name for described in objects for name in described.required | described.properties.keys()
    )
    own = tuple(frozenset(n for n in described.required if uses[n] == 1) for described in objects)
    return own if all(own) else None


def are_exclusive(root: Any, forms: Sequence[Any]) -> bool:
    """Whether one look at an object's own keys tells which of the forms it has, if any."""
    if tag_of(root, forms):
        return True
    closed = all(object_of(root, form).closed for form in forms)
    return closed and own_keys(root, forms) is not None


def are_apart(root: Any, forms: Sequence[Any]) -> bool:
    """Whether no value has two of the forms: by their JSON types, or by a tag of objects.

    >>> are_apart({}, [{"type": "string"}, {"type": ["integer", "null"]}])
    True
    >>> are_apart({}, [{"type": "integer"}, {"type": "number"}])
    False
    """
    types = [types_of(root, form) or ("any",) for form in forms]
    names = ["number" if name == "integer" else name for each in types for name in set(each)]
    if "any" not in names and len(set(names)) == len(names):
        return True
    tag = tag_of(root, forms)
    if tag is None or not tag.required or any(each != ("object",) for each in types):
        return False
    return all(type(member) is str for members in tag.members for member in members)


def weight_of(root: Any, form: Any) -> int:
    """How many properties and names a look at a form has to read."""
    described = object_of(root, form)
    return 1 + len(described.properties) + len(described.required)


class ObjectForm(NamedTuple):
    """The facts of an object branch, and of the schema that it extends by reference."""

    properties: Mapping[str, Any]
    required: frozenset[str]
    closed: bool


def declared_in(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties that an object may have, without those whose schema is false.

    >>> declared_in({"properties": {"a": True, "b": False}})
    {'a': True}
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    if all(sub is not False for sub in properties.values()):
        return properties
    return {name: sub for name, sub in properties.items() if sub is not False}


def object_of(root: Any, form: Any, depth: int = MAX_DEPTH) -> ObjectForm:
    """Return the properties of an object branch, and of schemas that it refers to or extends."""
    if not isinstance(form, dict) or not depth:
        return ObjectForm({}, frozenset(), closed=False)
    own = ObjectForm(
        declared_in(form),
        frozenset(form.get("required", ())),
        False in (form.get("additionalProperties"), form.get("unevaluatedProperties")),
    )
    target = target_of(root, form)
    bases = [*form.get("allOf", ()), *([] if target is None else [target])]
    for base in (object_of(root, base, depth - 1) for base in bases):
        properties = {**base.properties, **own.properties}
        own = ObjectForm(properties, own.required | base.required, own.closed or base.closed)
    return own


def keys_of(root: Any, form: Any, depth: int = MAX_DEPTH) -> frozenset[str]:
    """Return the keys that an object branch names, even forbidden ones, or all of a union's.

    >>> sorted(keys_of({}, {"anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}]}))
    ['a', 'b']
    """
    if not isinstance(form, dict) or not depth:
        return frozenset()
    own = object_of(root, form)
    inner = [*form.get("anyOf", ()), *form.get("oneOf", ()), target_of(root, form)]
    names = (keys_of(root, sub, depth - 1) for sub in inner)
    return own.required.union(own.properties, form.get("properties", ()), *names)


def constants_in(root: Any, form: ObjectForm) -> dict[str, Sequence[Any]]:
    """The properties that are limited to constants, with those."""
    constants: dict[str, Sequence[Any]] = {}
    for name, sub in form.properties.items():
        members = constants_of(followed(root, sub))
        if members and all(kind_of(member) not in (list, dict) for member in members):
            constants[name] = members
    return constants
