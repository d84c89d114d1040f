"""Results that are too long for a model are kept, and read on by `read_result`."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import random
import re
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.observers.recording import Recorder
from tests.share import share
from tests.toolset.results.kills import kill_keepers
from tests.toolset.results.slices import handle_of, read_all
from toolhaft import DefinitionError, Err, Image, Store, Toolset, tool
from toolhaft.agent_loop import Finished, run_sync
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.testing import ScriptedModel
from toolhaft.toolset.results.kept import has_room_for, units_of
from toolhaft.toolset.results.store import LEAST_CHARACTERS

pytestmark = pytest.mark.requirement("result-handles")

PNG = Image(b"\x89PNG\r\n\x1a\n", "image/png")


@tool
def rows(n: int) -> list[dict[str, int]]:
    """List rows."""
    return [{"id": at} for at in range(n)]


@tool
def log(n: int) -> str:
    """Read the log."""
    return "".join(f"line {at}\n" for at in range(n))


@tool
def page(n: int) -> dict[str, Any]:
    """Return a page."""
    return {"total": n, "rows": [*range(n)], "text": "é\n" * n}


@tool
def pictures(n: int) -> list[Image | str]:
    """Describe pictures."""
    return ["word " * n, PNG, "end"]


@tool(requires_approval=True)
def dump(n: int) -> str:
    """Dump everything."""
    return "x" * n


TOOLS = [rows, log, page, pictures, dump]


@pytest.fixture(params=["memory", "folder"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Store]:
    def make(**options: Any) -> Store:
        folder = tmp_path / "results" if request.param == "folder" else None
        return Store(folder, max_result_chars=LEAST_CHARACTERS, **options)

    return make


def user(context: Any) -> Any:
    return context["user"]


def joined(text: str) -> str:
    return text.replace("\n", "")


def test_a_result_over_the_limit_is_read_in_slices(store: Callable[..., Store]) -> None:
    tools = Toolset(TOOLS, results=store())
    for name in "rows", "log", "page":
        outcome = tools.call_sync(name, {"n": 1_000})
        assert len(outcome.text) <= LEAST_CHARACTERS
        whole = read_all(tools, outcome.text)
        value = outcome.unwrap()
        if name == "page":
            whole = json.loads(whole)
        assert whole == (joined(value) if name == "log" else value)


def test_a_slice_says_what_it_is_and_how_to_read_on(store: Callable[..., Store]) -> None:
    tools = Toolset(TOOLS, results=store())
    text = tools.call_sync("rows", {"n": 1_000}).text
    handle = handle_of(text)
    more = f'read on with read_result {{"id":"{handle}","offset":80}}'
    assert text.splitlines()[-1] == f"… items 0 to 79 of 1000 items (9890 characters); {more}"
    read = tools.call_sync("read_result", {"id": handle, "offset": 998})
    assert read.text == (
        '[{"id":998},\n{"id":999}]\n'
        "… items 998 to 999 of 1000 items (9890 characters), the last ones"
    )
    read = tools.call_sync("read_result", {"id": handle, "offset": 0, "limit": 1})
    assert read.text.startswith('[{"id":0}]\n… items 0 to 0 of 1000 items')


def test_results_that_fit_are_as_ever(store: Callable[..., Store]) -> None:
    tools, plain = Toolset(TOOLS, results=store()), Toolset(TOOLS)
    for name in "rows", "log", "page", "pictures":
        kept, usual = (each.call_sync(name, {"n": 5}) for each in (tools, plain))
        assert (kept.text, kept.content, type(kept)) == (usual.text, usual.content, type(usual))


def test_the_limit_of_a_tool_comes_before_that_of_the_store(store: Callable[..., Store]) -> None:
    short, long = (
        log.replace(max_result_chars=2_000),
        log.replace(name="all", max_result_chars=9_999),
    )
    tools = Toolset([short, long, log.replace(name="tiny", max_result_chars=100)], results=store())
    assert 1_900 < len(tools.call_sync("log", {"n": 1_000}).text) <= 2_000
    assert tools.call_sync("all", {"n": 1_000}).text == log(1_000)
    assert len(tools.call_sync("tiny", {"n": 1_000}).text) <= 100  # no room for a note


@pytest.mark.parametrize("wrong", ["", "../../etc/passwd", "0" * 24, "G" * 24, "0" * 25, "a" * 100])
def test_a_forged_id_is_unknown(store: Callable[..., Store], wrong: str) -> None:
    tools = Toolset(TOOLS, results=store())
    tools.call_sync("rows", {"n": 1_000})
    outcome = tools.call_sync("read_result", {"id": wrong})
    assert (outcome.text, bool(outcome)) == (UNKNOWN, False)


UNKNOWN = "there is no result with this id, or it has expired; call the tool that returned it again"


def test_an_id_of_another_key_an_expired_one_and_a_forged_one_read_the_same(
    store: Callable[..., Store],
) -> None:
    now = [0.0]
    tools = Toolset(TOOLS, results=store(key=user, seconds=60, clock=lambda: now[0]))
    ann, bob = {"user": "ann"}, {"user": "bob"}
    ids = {"id": handle_of(tools.call_sync("rows", {"n": 1_000}, context=ann).text)}
    assert tools.call_sync("read_result", ids, context=ann)
    assert tools.call_sync("read_result", ids, context=bob).text == UNKNOWN
    now[0] = 60.0
    assert tools.call_sync("read_result", ids, context=ann).text == UNKNOWN


def test_a_context_without_a_key_reads_and_keeps_nothing(store: Callable[..., Store]) -> None:
    tools = Toolset(TOOLS, results=store(key=user))
    outcome = tools.call_sync("rows", {"n": 1_000}, context={})
    assert outcome
    assert "read_result" not in outcome.text
    ids = {"id": handle_of(tools.call_sync("rows", {"n": 1_000}, context={"user": 1}).text)}
    for context in {}, {"user": "1"}, {"user": True}, {"user": [1]}, None:
        assert not tools.call_sync("read_result", ids, context=context)
    assert tools.call_sync("read_result", ids, context={"user": 1})


def test_visible_of_the_tool_is_judged_at_each_read(store: Callable[..., Store]) -> None:
    seen = {"rows", "read_result"}
    tools = Toolset([rows, log], visible=lambda tool, _: tool.name in seen, results=store())
    ids = {"id": handle_of(tools.call_sync("rows", {"n": 1_000}).text)}
    assert tools.call_sync("read_result", ids)
    seen.clear()
    assert tools.call_sync("read_result", ids).text == UNKNOWN
    assert tools.select("log").call_sync("read_result", ids).text == UNKNOWN


@pytest.mark.parametrize(
    "arguments", [{}, {"offset": -1}, {"offset": 1_000}, {"limit": 0}, {"limit": 10**9}]
)
def test_a_read_of_nothing_is_a_clear_error(
    store: Callable[..., Store], arguments: dict[str, Any]
) -> None:
    tools = Toolset(TOOLS, results=store())
    handle = handle_of(tools.call_sync("rows", {"n": 1_000}).text)
    if arguments:
        arguments = {"id": handle, **arguments}
    outcome = tools.call_sync("read_result", arguments)
    assert isinstance(outcome, Err)
    assert outcome.kind in ("invalid_input", "tool_error")
    assert "\n" not in outcome.text


def test_a_tool_of_that_name_is_a_definition_error() -> None:
    @tool
    def read_result(id: str) -> str:
        """Read."""
        return id

    with pytest.raises(DefinitionError, match="read_result"):
        Toolset([read_result], results=Store())
    assert len(Toolset([read_result])) == 1


def test_sets_that_are_made_from_one_keep_and_read_too(store: Callable[..., Store]) -> None:
    tools = Toolset([rows], results=store())
    made = {
        "prefix": tools.prefix("x_"),
        "select": tools.select("rows"),
        "asking": tools.asking(authorize=lambda *_: True),
        "added": tools + [log],  # noqa: RUF005  a toolset
        "reversed": Toolset([log]) + tools,
        "twice": tools + Toolset([log], results=store()),
    }
    for name, one in made.items():
        called = "x_rows" if name == "prefix" else "rows"
        assert [each.name for each in one].count("read_result") == 1
        assert read_all(one, one.call_sync(called, {"n": 500}).text) == rows(500)


def test_exports_answers_and_approved_calls_keep_too(store: Callable[..., Store]) -> None:
    tools = Toolset(TOOLS, results=store())
    waiting = tools.call_sync("dump", {"n": 5_000})
    text = waiting.prepared.to_json()  # type: ignore[union-attr]  # it waits
    resumed = tools.resume(text)
    assert resumed
    assert read_all(tools, resumed.call_sync().text) == "x" * 5_000
    wire = tools.export("openai")
    item = {"type": "function_call", "call_id": "1", "name": "log", "arguments": '{"n": 1000}'}
    answer = asyncio.run(wire.answer({"output": [item]}))
    assert read_all(tools, answer.results[0]["output"]) == joined(log(1_000))
    assert "read_result" in [each["name"] for each in wire.tools]


def test_a_run_needs_no_context_to_read_on() -> None:
    tools = Toolset([log], results=Store(max_result_chars=LEAST_CHARACTERS))
    model = ScriptedModel(("log", {"n": 1_000}), "Long.")
    [*_, end] = run_sync(model, model="m", messages=[], tools=tools)
    assert isinstance(end, Finished)
    assert end.text == "Long."


def test_a_model_reads_the_beginning_of_what_a_program_gets_whole_at_openai() -> None:
    both = log.replace(allowed_callers={"direct", "programmatic"})
    wire = Toolset([both], results=Store(max_result_chars=LEAST_CHARACTERS)).export("openai")
    item = {"type": "function_call", "call_id": "1", "name": "log", "arguments": '{"n": 1000}'}
    program = {**item, "caller": {"type": "program", "caller_id": "p"}}
    [beginning] = wire.answer_sync({"output": [item]}).results
    [whole] = wire.answer_sync({"output": [program]}).results
    assert len(beginning["output"]) <= LEAST_CHARACTERS
    assert json.loads(whole["output"]) == log(1_000)


def test_content_keeps_its_texts_and_shows_its_pictures(store: Callable[..., Store]) -> None:
    tools = Toolset(TOOLS, results=store())
    outcome = tools.call_sync("pictures", {"n": 1_000})
    text, *others = map(str, outcome.content)
    assert (others, len(text) <= LEAST_CHARACTERS) == ([str(PNG)], True)
    assert read_all(tools, text) == "word " * 1_000 + "end"


def test_outcomes_are_whole_observed_and_portable(store: Callable[..., Store]) -> None:
    recorder = Recorder()
    tools = Toolset(TOOLS, observers=[recorder], results=store())
    outcome = tools.call_sync("rows", {"n": 1_000})
    tools.call_sync("read_result", {"id": handle_of(outcome.text)})
    assert outcome.unwrap() == outcome.as_json()["value"] == rows(1_000)
    assert recorder.kinds == [("rows", "ok"), ("read_result", "ok")]
    copied = pickle.loads(pickle.dumps(outcome))
    assert (copied.text, copied.content, copied.json) == (
        outcome.text, outcome.content, rows(1_000),
    )  # fmt: skip


def test_programs_get_whole_results_and_may_read_on(store: Callable[..., Store]) -> None:
    tools = Toolset(TOOLS, results=store())
    ids = {"id": handle_of(tools.call_sync("rows", {"n": 1_000}).text), "offset": 999}
    dispatch = tools.dispatcher()
    assert asyncio.run(dispatch("rows", {"n": 1_000}))["value"] == rows(1_000)
    assert '"id":999' in asyncio.run(dispatch("read_result", ids))["value"]


def test_an_item_that_is_longer_than_a_slice_is_cut_and_the_next_one_follows() -> None:
    @tool
    def texts() -> list[str]:
        """List texts."""
        return ["a" * 5_000, "b"]

    tools = Toolset([texts], results=Store(max_result_chars=LEAST_CHARACTERS))
    text = tools.call_sync("texts").text
    assert len(text) <= LEAST_CHARACTERS
    assert "5002 characters" in text
    read = tools.call_sync("read_result", {"id": handle_of(text), "offset": 1})
    assert read.text.startswith('["b"]\n')


def test_results_in_memory_are_bounded() -> None:
    store = Store(max_results=2)
    handles = [store.keep("a", "log", None)[0] for _ in range(3)]
    assert [store.find(handle, None) is None for handle in handles] == [True, False, False]


def test_a_folder_is_private_and_outlives_its_process(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    handle, _ = Store(folder).keep("a\nb", "log", None)
    kept = Store(folder).find(handle, None)
    assert kept is not None
    assert [*kept.read(1)] == ["b"]
    [path] = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    folder.chmod(0o755)
    with pytest.raises(ToolhaftError, match="others may read or write it; chmod 700 it"):
        Store(folder)
    with pytest.raises(ToolhaftError, match="cannot be used"):
        Store(path)


def test_a_damaged_or_unfinished_file_is_no_result(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    store = Store(folder)
    handle, _ = store.keep("a\n" * 999, "log", None)
    path = folder / f"{handle}.result"
    whole = path.read_bytes()
    for size in 0, 7, 100, len(whole) - 1:
        path.write_bytes(whole[:size])
        assert store.find(handle, None) is None
    path.rename(folder / f"{handle}.part")
    assert store.find(handle, None) is None


def test_expired_files_and_remains_are_deleted(tmp_path: Path) -> None:
    now = [1e9]
    folder = tmp_path / "results"
    store = Store(folder, seconds=60, clock=lambda: now[0])
    store.keep("a", "log", None)
    (folder / "rest.part").write_bytes(b"a")
    (folder / "notes.txt").write_bytes(b"a")
    for path in folder.iterdir():
        os.utime(path, (1e9, 1e9))
    now[0] += 61
    handle, _ = store.keep("b", "log", None)
    assert {path.name for path in folder.iterdir()} == {f"{handle}.result", "notes.txt"}


def test_a_full_disk_or_a_folder_that_is_gone_leaves_the_result_cut(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    tools = Toolset([log], results=Store(folder, max_result_chars=LEAST_CHARACTERS))
    folder.rmdir()
    cut = log.replace(max_result_chars=LEAST_CHARACTERS)
    tools = Toolset([cut], results=Store(folder))
    folder.rmdir()
    assert tools.call_sync("log", {"n": 999}).text == cut.call_sync({"n": 999}).text


@pytest.mark.parametrize(
    "options", [{"max_result_chars": 10}, {"max_results": 0}, {"seconds": 0}, {"seconds": 10**400}]
)
def test_a_store_that_keeps_nothing_is_an_error(options: dict[str, Any]) -> None:
    with pytest.raises(ToolhaftError, match=r"^Store: "):
        Store(**options)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"folder": 3}, "Store: folder: wrong type; pass the path of a folder, or None"),
        ({"folder": "a\0b"}, "Store: folder: not a path; it has a null character"),
        ({"folder": b"x"}, "Store: folder: wrong type; pass the path of a folder, or None"),
        ({"key": "user"}, "Store: key: wrong type; pass a function of the context"),
        ({"clock": 0.0}, "Store: clock: wrong type; pass a function that returns seconds"),
        (
            {"seconds": "60"},
            "Store: seconds: not a time above 0; pass how long to keep results",
        ),
        ({"max_results": True}, "Store: allow at least 1000 characters and one result"),
        ({"max_result_chars": 5e3}, "Store: allow at least 1000 characters and one result"),
    ],
)
def test_an_argument_of_another_type_is_an_error_at_once(
    options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ToolhaftError) as raised:
        Store(**options)
    assert str(raised.value) == fault


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.text('aé\n"\\ ', max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("ab\n", max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)  # fmt: skip


@given(data=st.text("a\n\r\u2028é") | st.lists(JSON) | st.dictionaries(st.text("ab"), JSON))
def test_units_are_the_whole_and_a_size_is_exact(data: Any) -> None:
    unit, units = units_of(data)
    written = [*units]
    if isinstance(data, str):
        assert "".join(written) == data
    elif unit == "items":
        assert [json.loads(one) for one in written] == data
    else:
        assert json.loads("".join(written)) == data
    size = len(data if isinstance(data, str) else jsontext.write(data))
    assert (has_room_for(data, size), has_room_for(data, size - 1)) == (True, data == [])


@given(st.text("ab\n\r\x1c\u2028", max_size=3_000), st.integers(0, 400))
def test_a_text_is_read_from_any_line(text: str, offset: int) -> None:
    store = Store()
    _, kept = store.keep(text * 3, "log", None)
    assert [*kept.read(offset)] == [*units_of(text * 3)[1]][offset:]


def test_the_text_of_a_note_holds_no_value() -> None:
    assert re.fullmatch(r"[a-z ,;]+", UNKNOWN)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_killed_process_loses_no_result_that_it_reported(tmp_path: Path) -> None:
    lost, kept = kill_keepers(tmp_path / "results", share(12), random.Random(1))
    assert (lost, kept > 0) == (0, True)


@pytest.mark.parametrize("place", ["memory", "folder"])
def test_reading_needs_little_memory(place: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "results" if place == "folder" else None)
    data: list[Any] = [
        "a line of words\n" * 150_000,
        [{"id": at, "n": "x" * 30} for at in range(40_000)],
    ]
    for one in data:
        tracemalloc.start()
        _, kept = store.keep(one, "log", None)
        read = sum(len([*islice(kept.read(at), 500)]) for at in range(0, kept.facts.total, 500))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (read, peak < 500_000) == (kept.facts.total, True)
