"""Batches of Arrow data are gated by one function, and give one schema."""

from __future__ import annotations

import json
import pickle
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from toolhaft import tool
from toolhaft.batch import gate, gates, output_schema, tools_digest
from toolhaft.batch.journal import Changed

pa = pytest.importorskip("pyarrow")

TOOLS = """
from toolhaft import tool

@tool
def double(n: int) -> int:
    "Twice a number."
    return 2 * n
"""


@tool
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@pytest.fixture
def place(tmp_path: Path) -> str:
    path = tmp_path / "tools.py"
    path.write_text(TOOLS)
    return str(path)


MODULE = """
from __future__ import annotations
import pickle
from dataclasses import dataclass
from toolhaft import tool
from {beside} import FACTOR

@dataclass
class Doubled:
    n: int
    note: str | None = None

@tool
def double(n: int) -> Doubled:
    "Twice a number."
    return Doubled(FACTOR * n)

assert pickle.loads(pickle.dumps(Doubled(1))) == Doubled(1)
"""


@pytest.mark.requirement("batch-arrow")
@pytest.mark.parametrize("name", ["", ":double"])
@pytest.mark.parametrize("beside", ["beside_it", ".beside_it"])
def test_a_file_of_tools_is_a_module_with_what_lies_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: str, name: str
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "tools.py").write_text(MODULE.format(beside=beside))
    (tmp_path / "beside_it.py").write_text("FACTOR = 2")
    if beside.startswith("."):
        (tmp_path / "__init__.py").touch()
    calls = pa.table({"name": ["double"], "arguments": ['{"n": 4}']})
    assert gate(calls, f"{tmp_path}/tools.py{name}")["kind"].to_pylist() == ["accepted"]


CALLS = {
    "id": ["a", "b", "c", "d", "e"],
    "name": ["double", "double", "double", "nope", None],
    "arguments": ['{"n": 4}', '{"n": "4"}', "{}", "{}", "{}"],
}


@pytest.mark.requirement("batch-arrow")
def test_each_row_of_a_batch_has_its_outcome(place: str) -> None:
    table = gate(pa.table(CALLS), place)
    assert table.schema == output_schema()
    rows = table.to_pylist()
    assert [
        (row["row"], row["id"], row["tool"], row["kind"], row["arguments"]) for row in rows
    ] == [
        (0, "a", "double", "accepted", '{"n": 4}'),
        (1, "b", "double", "accepted", '{"n":4}'),
        (2, "c", "double", "invalid_input", None),
        (3, "d", "nope", "unknown_tool", None),
        (4, None, None, "invalid", None),
    ]
    assert rows[1]["coercions"] == [{"path": "/n", "rule": "number_text"}]
    assert rows[2]["issues"] == [
        {
            "path": "/n",
            "code": "missing",
            "message": "required",
            "expected": None,
            "received": None,
        }
    ]
    assert rows[2]["text"] == double.call_sync("{}").text


@pytest.mark.requirement("batch-arrow")
def test_anything_with_an_arrow_stream_is_a_batch(place: str) -> None:
    class Stream:
        """A batch of another library: the protocol, and nothing else."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(CALLS).__arrow_c_stream__(requested_schema)

    expected = gate(pa.table(CALLS), place)
    batches: list[Any] = [Stream(), pa.RecordBatch.from_pydict(CALLS)]
    assert [gate(batch, place) for batch in batches] == [expected, expected]
    assert pa.Table.from_batches(gates(batches, place)) == pa.concat_tables([expected, expected])


@pytest.mark.requirement("batch-arrow")
def test_conversations_become_a_row_for_each_call(place: str) -> None:
    def call(n: int) -> dict[str, Any]:
        return {"id": f"c{n}", "function": {"name": "double", "arguments": f'{{"n": {n}}}'}}

    messages = [
        [{"role": "user", "tool_calls": None}, {"role": "assistant", "tool_calls": [call(1)]}],
        [],
        [{"role": "assistant", "tool_calls": [call(2), call(3)]}],
    ]
    rows = gate(pa.table({"messages": messages}), place).to_pylist()
    assert [(row["row"], row["message"], row["index"], row["id"]) for row in rows] == [
        (0, 1, 0, "c1"),
        (2, 0, 0, "c2"),
        (2, 0, 1, "c3"),
    ]


@pytest.mark.requirement("batch-arrow")
def test_an_engine_ships_the_place_and_the_digest_of_the_tools(place: str) -> None:
    assert tools_digest(place) == tools_digest([double])
    shipped = partial(gate, tools=place, digest=tools_digest([double]))
    again = pickle.loads(pickle.dumps(shipped))
    assert again(pa.table(CALLS)) == gate(pa.table(CALLS), [double])
    with pytest.raises(Changed):
        gate(pa.table(CALLS), place, digest="another")


def test_an_empty_batch_has_the_schema(place: str) -> None:
    empty = pa.table({name: pa.array([], pa.string()) for name in CALLS})
    assert gate(empty, place) == output_schema().empty_table()


def test_a_batch_without_columns_of_calls_is_refused_at_once(place: str) -> None:
    with pytest.raises(ValueError) as refused:
        gate(pa.table({"tool": ["double"], "args": ["{}"]}), place)
    assert str(refused.value) == (
        "gate: no column name and no column arguments; the columns are tool, args: "
        "name and arguments are needed, or messages"
    )
    with pytest.raises(ValueError, match="no column arguments; the columns are name, args"):
        gate(pa.table({"name": ["double"], "args": ["{}"]}), place)


def test_a_place_without_tools_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    with pytest.raises(ImportError, match=r"empty\.py: has no tools; make one with @tool"):
        gate(pa.table(CALLS), str(path))


def test_declarations_in_a_file_are_tools_too(tmp_path: Path) -> None:
    path = tmp_path / "tools.jsonl"
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    declared = {"id": "t1", "name": "double", "description": "D.", "inputSchema": schema}
    path.write_text(json.dumps(declared) + "\n")
    rows = gate(pa.table({**CALLS, "tool_id": ["t1", "t1", None, "t1", "t1"]}), str(path))
    assert rows.column("kind").to_pylist() == [
        "accepted", "accepted", "unknown_tool", "invalid_input", "invalid",
    ]  # fmt: skip
