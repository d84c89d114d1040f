"""Text that holds JSON: it is read as strictly as arguments, and held to a schema of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from toolhaft.schema.document.kinds import names_of
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas, replace_at
from toolhaft.schema.explain.phrases import json_text_words
from toolhaft.schema.marks import marks_of
from toolhaft.schema.meant import Unions
from toolhaft.spec import Issue, Path

if TYPE_CHECKING:
    from toolhaft.vendors.input_schema import Admitted, InputSchema

__all__ = ["JsonTexts"]


class JsonTexts:
    """The texts of one marked schema that hold JSON; `make_schema` gives the checks of a content.

    In a union that takes any text too, a text may hold anything.
    """

    def __init__(self, root: Any, make_schema: Callable[[Any], InputSchema]) -> None:
        self._root = root
        self._make_schema = make_schema
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
            schema = self._schemas[id(node)] = self._make_schema(content)
        return schema


def _json_texts(place: PlaceSchemas) -> list[Any]:
    """Return the schemas of the texts at a place; none if a text may hold anything."""
    nodes = [part for part in place.parts if "string" in names_of(part)]
    return nodes if all("json_text" in marks_of(node) for node in nodes) else []
