"""The checks of an input, derived once from the schema that its adapter emitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property, reduce
from operator import getitem
from typing import Any, Literal, NamedTuple, TypeAlias

from toolhaft.jsonio import jsontext
from toolhaft.jsonio.plaindata import is_plain
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import names_of
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas, replace_at
from toolhaft.schema.document.walk import child_nodes, nodes_of, replace_children
from toolhaft.schema.explain.phrases import json_text_words
from toolhaft.schema.facts import facts_of_nodes
from toolhaft.schema.gate import fast_gate_of, gate_of
from toolhaft.schema.map_keys import MapKeys
from toolhaft.schema.marks import MARK, marks_of
from toolhaft.schema.meant import Unions
from toolhaft.schema.normalise import is_current
from toolhaft.schema.numbers import Numbers
from toolhaft.schema.shape import shape_of
from toolhaft.schema.unknown_keys import UnknownKeys, unknown_keys
from toolhaft.spec import Issue, Path

__all__ = ["Admitted", "Extra", "InputSchema", "with_extra"]

Extra: TypeAlias = Literal["forbid", "ignore"]


class Admitted(NamedTuple):
    """Data that passed the gate, or the issues why they did not.

    `ignored` are the undeclared keys that were dropped, `widened` the places where only an author's
    function makes the data right.
    """

    data: Any
    issues: list[Issue]
    ignored: Sequence[Path] = ()
    widened: Sequence[Path] = ()


class InputSchema:
    """The gate of one input, and the normalisation of data that pass it.

    `marked` is the emitted schema with its marks. With `authored`, a person wrote the schema: its
    formats are not asserted, and numbers stay as they were sent. `checker` is passed for a schema
    that is its own gate, in 2020-12 terms.
    """

    def __init__(
        self, marked: Any, *, authored: bool = False, checker: Checker | None = None
    ) -> None:
        self.marked = marked
        self.authored = authored
        if checker is not None:
            self.gate = checker
        facts = self._facts = facts_of_nodes(nodes_of(marked) if checker is None else ())
        # A gate adds nothing that is written otherwise today.
        self._is_current = is_current(marked, facts)
        self.has_holes: bool = "open" in facts.marks
        # An author's function reads the whole of the arguments first.
        self.is_open: bool = "open" in marks_of(marked)
        self.has_decimals: bool = "decimal" in facts.marks
        self.has_json_texts: bool = "json_text" in facts.marks
        self.plain: bool = authored and not facts.marks and not facts.has_whole_bounds

    @cached_property
    def gate(self) -> Checker:
        """The schema that data must satisfy, with holes where an author's function runs first."""
        if self.plain:
            return self._checker(self.marked)
        return self._checker(gate_of(self.marked, authored=self.authored))

    @cached_property
    def exact(self) -> Checker:
        """The gate without holes."""
        if not self.has_holes:
            return self.gate
        return self._checker(gate_of(self.marked, authored=self.authored, holes=False))

    @cached_property
    def fast_gate(self) -> Checker:
        """The schema that exact plain data must satisfy to be constructed as they are."""
        if self.plain:
            return self.gate
        return self._checker(fast_gate_of(self.marked, self._facts, authored=self.authored))

    def _checker(self, gate: Any) -> Checker:
        return Checker(gate, is_current=self._is_current)

    def shape(self, *, whole_floats: bool) -> Any:
        """Compile what exact plain data must be to be constructed as they are."""
        return shape_of(self.fast_gate, whole_floats=whole_floats)

    @cached_property
    def _unions(self) -> Unions:
        return Unions(self.gate.normalised)

    @cached_property
    def places(self) -> PlaceIndex:
        """The schemas for each place in data; of unions, the branches that the data fit."""
        fitting_of = None if self.plain else self._unions.fitting
        return PlaceIndex(self.gate.normalised, fitting_of=fitting_of)

    @cached_property
    def numbers(self) -> Numbers:
        gate, floats = self.gate, not self.authored
        return Numbers(gate.normalised, gate.facts, floats=floats, places=self.places)

    @cached_property
    def map_keys(self) -> MapKeys:
        return MapKeys(self.gate.normalised, self.gate.facts.marks, self.places)

    @cached_property
    def unknown(self) -> UnknownKeys | None:
        # Without marks, no object ignores keys, and no key has another name.
        gate = self.gate
        return None if self.plain else unknown_keys(gate.normalised, gate.facts, self._unions)

    @cached_property
    def json_texts(self) -> _JsonTexts | None:
        return _JsonTexts(self.marked) if self.has_json_texts else None

    def admit(self, data: Any) -> Admitted:
        """Check data by the gate, and settle them."""
        if not self.gate.is_valid(data):
            return Admitted(data, self.gate.issues(data))
        return self.settle(data)

    def admit_text(self, text: str) -> Admitted:
        """Read JSON text and admit what it holds; the data that are admitted are a text again."""
        may_round = jsontext.may_round(text)
        try:
            sent = jsontext.read(text, decimals=may_round or self.has_decimals)
        except jsontext.JsonSyntaxError as fault:
            return Admitted(text, [Issue(fault.message, (), "json")])
        admitted = self.admit(self.numbers.nearest_floats(sent) if may_round else sent)
        is_as_sent = admitted.data is sent and not self.has_decimals
        return admitted._replace(data=text if is_as_sent else jsontext.write(admitted.data))

    def settle(self, data: Any) -> Admitted:
        """Normalise the numbers of data that passed the gate, and settle their keys.

        Ignored keys are dropped, and two keys of a map that are one are an issue.
        """
        if self._is_settled(data):
            return Admitted(data, [], [], [])
        gated = data
        data, issues = self.numbers.settle(gated)
        issues = [issue for issue in issues if not self._takes_any_number(gated, issue)]
        if data is not gated and not issues:  # a float is not always the decimal that was written
            issues = [] if self.gate.is_valid(data) else self.gate.issues(data)
        ignored: Sequence[Path] = ()
        if self.unknown is not None:
            data, ignored, others = self.unknown.drop(data)
            issues = [*issues, *others]
        issues = [*issues, *self.map_keys.issues(data)]
        widened: list[Path] = []
        if self.json_texts is not None:
            data, contents = self.json_texts.settle(data)
            for path, content in contents:
                issues = [*issues, *content.issues]
                ignored = [*ignored, *((*path, *key) for key in content.ignored)]
                widened += ((*path, *place) for place in content.widened)
        if self.has_holes and not self.exact.is_valid(data):
            widened += (issue.path for issue in self.exact.issues(data))
        return Admitted(data, issues, ignored, widened)

    def _takes_any_number(self, data: Any, issue: Issue) -> bool:
        """Whether a float that is no exact integer is right: another branch takes a fraction."""
        if issue.code != "type":
            return False
        fraction = Decimal(f"{int(reduce(getitem, issue.path, data))}.5")
        return self.gate.is_valid(replace_at(data, {issue.path: fraction}))

    def _is_settled(self, data: Any) -> bool:
        """Return whether a quick check shows that nothing has to be normalised, as in most data."""
        if self.has_decimals or not (self.fast_gate.is_valid(data) and is_plain(data)):
            return False
        return not self.numbers.may_hold_floats((data,))


def with_extra(marked: Any, extra: Extra, *, authored: bool) -> Any:
    """Return a marked schema whose objects all have this policy for undeclared keys.

    In a schema that a person wrote, only the root has it: inner schemas may be combined so that a
    key is declared elsewhere.
    """
    if not isinstance(marked, dict):
        return marked
    schema = marked
    if not authored:
        changes = {
            steps: with_extra(sub, extra, authored=False) for steps, sub in child_nodes(marked)
        }
        schema = replace_children(marked, changes)
        if "extra" not in marks_of(marked):
            return schema
    facts: Mapping[str, Any] = {**marks_of(schema), "extra": extra}
    schema = {key: value for key, value in schema.items() if key != "additionalProperties"}
    closed = {"additionalProperties": False} if extra == "forbid" else {}
    return {**schema, **closed, MARK: facts}


class _JsonTexts:
    """The texts of one marked schema that hold JSON: each is read as strictly as arguments.

    What a text holds has a schema of its own.
    In a union that takes any text too, a text may hold anything.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._places = PlaceIndex(root, fitting_of=Unions(root).fitting)
        self._schemas: dict[int, InputSchema] = {}

    def settle(self, data: Any) -> tuple[Any, list[tuple[Path, Admitted]]]:
        """Normalise the JSON in each text; a text is rewritten if its JSON changes.

        The result of each is returned with the path of the text; its issues are about the text.
        """
        texts = self._places.walk(data, lambda value: type(value) is str)
        contents = [
            (path, self._admit(nodes, text, path))
            for path, text, place in texts
            if (nodes := _json_texts(place))
        ]
        changes = {path: content.data for path, content in contents}
        return replace_at(data, changes), contents

    def _admit(self, nodes: list[Any], text: str, path: Path) -> Admitted:
        """Admit a text by the first of these nodes whose content it holds."""
        contents = [self._schema(node).admit_text(text) for node in nodes]
        accepted = next((content for content in contents if not content.issues), None)
        if accepted is not None:
            return accepted
        issue = contents[0].issues[0]
        words = json_text_words(self._root, nodes[0])
        if issue.code == "json" and not issue.message.startswith("not JSON"):
            words = issue.message
        return contents[0]._replace(data=text, issues=[Issue(words, path, "format")])

    def _schema(self, node: Any) -> InputSchema:
        schema = self._schemas.get(id(node))
        if schema is None:
            definitions = {"$defs": self._root["$defs"]} if "$defs" in self._root else {}
            content = {**node.get("contentSchema", {}), **definitions}
            schema = self._schemas[id(node)] = InputSchema(content)
        return schema


def _json_texts(place: PlaceSchemas) -> list[Any]:
    """Return the schemas of the texts at a place; none if a text may hold anything."""
    nodes = [part for part in place.parts if "string" in names_of(part)]
    return nodes if all("json_text" in marks_of(node) for node in nodes) else []
