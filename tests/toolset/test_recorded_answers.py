"""Recorded arguments and real schemas as typed answers: lifted back exactly, refused with one text.

What models wrote for a tool is read as an answer of the tool's type, in the form that each provider
has for it. `make thorough` tries all of it.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import pytest

from tests.answer_samples import called, said
from tests.laws.laws import bare
from tests.laws.meaning import meaning
from tests.schema.corpora import rows
from tests.share import step
from toolhaft import DefinitionError, Err, Ok, ToolCall, Toolset, tool
from toolhaft.jsonio import jsontext
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import json_equal
from toolhaft.schema.generate import NoValue, Values
from toolhaft.tools.internals import boundary_of
from toolhaft.toolset.export import Export
from toolhaft.toolset.final_answer import FinalAnswer

pytestmark = [pytest.mark.unmeasured, pytest.mark.requirement("output-recorded")]
FORMS = pytest.mark.parametrize("target", ["openai", "openai-chat", "anthropic", "gemini"])
# A value under one of these cannot be expressed any more.
LOST = ("narrowed", "unsupported")
# Values of each real schema.
VALUES = 4
# Of the valid calls, this part is enough where not all are tried.
FEWER = 1 if step() == 1 else 6 * step()


class Asked(NamedTuple):
    """A type as a target gets it: its own schema, the export, and the target's schema.

    `root` is the key under which a value that is no object stands.
    """

    schema: Any
    root: str | None
    wire: Export
    final: FinalAnswer
    form: Checker

    def says(self, data: Any) -> Any:
        """The verdict of the target's schema on data of the type's own schema."""
        return self.final.planned.lowered.lens.put(data)

    def came_back(self, output: Ok[Any] | Err | None, value: Any) -> bool:
        """Check whether an answer is the value, except for nulls that are a default."""
        if not isinstance(output, Ok):
            return False
        own = value if self.root is None else value[self.root]
        return json_equal(bare(self.schema, output.json), bare(self.schema, own))

    def answer(self, target: str, data: Any) -> Ok[Any] | Err | None:
        """Read data of the target's schema, as the target sends them."""
        if not self.final.is_form:
            response = called(target, (self.final.planned.wire_name, data))
        else:
            response = said(target, jsontext.write(data))
        return self.wire.answer_sync(response).output


def ask(target: str, schema: Any) -> Asked:
    wire = Toolset().export(target, output=schema)
    assert wire._final is not None
    final = wire._final
    original = final.tool.input_schema.json_schema()
    root = boundary_of(final.tool).pipeline.adapter.root
    return Asked(original, root, wire, final, Checker(meaning(final.planned.schema, target)))


@cache
def schemas() -> dict[str, Any]:
    return {row["id"]: row["inputSchema"] for row in rows("tools_for_calls.jsonl.gz")}


@FORMS
def test_valid_arguments_come_back_as_they_were_where_the_form_takes_them(target: str) -> None:
    asked: dict[str, Asked] = {}
    taken = refused = 0
    for call in islice(rows("calls_valid.jsonl.gz"), None, None, FEWER):
        name = call["tool_id"]
        one = asked.get(name) or asked.setdefault(name, ask(target, schemas()[name]))
        arguments = json.loads(call["arguments_text"])
        data = one.says(arguments)
        if not one.form.is_valid(data):
            refused += 1
            continue
        taken += 1
        assert one.came_back(one.answer(target, data), arguments)
    # A key that the schema does not name has no place in a closed object.
    assert refused < taken / 100
    assert taken > 29_000 // FEWER


@FORMS
def test_failing_arguments_have_the_outcome_of_a_call(target: str) -> None:
    kinds: Counter[str] = Counter()
    for call in islice(rows("calls_failing.jsonl.gz"), None, None, step()):
        text = call["arguments_text"].strip()
        if not call["tool_id"] or text in ("", "null"):
            continue
        schema = schemas()[call["tool_id"]]
        output = Toolset().export(target, output=schema).answer_sync(said(target, text)).output
        twin = tool(
            lambda arguments: arguments,
            name="final_answer",
            description="Twin.",
            input=schema,
            output=None,
        )
        wire = Toolset([twin]).export(target, strict="prefer")
        outcome = wire.call_sync(ToolCall(None, "final_answer", text))
        assert output is not None
        assert output.as_json() == outcome.as_json()
        assert output.text == outcome.text
        kinds[getattr(output, "kind", "ok")] += 1
    assert {"ok", "invalid_input"} <= set(kinds)


@FORMS
def test_values_of_real_schemas_come_back_as_they_were(target: str) -> None:
    found = rows("schemas_jsonschemabench.jsonl.gz")
    tried = values = 0
    for row in islice(found, None, None, step()):
        try:
            one = ask(target, row["schema"])
            source = Values(one.schema, Random(row["path"]))
            drawn = [source.valid() for _ in range(VALUES)]
        except (DefinitionError, NoValue):
            continue
        tried += 1
        if any(loss.kind in LOST for loss in one.wire.losses):
            continue
        for value in drawn:
            data = one.says(value)
            if not isinstance(value, dict) or not one.form.is_valid(data):
                continue
            values += 1
            assert one.came_back(one.answer(target, data), value), row["path"]
    assert tried > len(found) // step() * 0.8
    assert values > tried / 2
