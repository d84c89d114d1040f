"""A person's decision may be an edit: the call runs with other arguments, checked again."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft import (
    CallInfo,
    Deny,
    Edit,
    Err,
    Image,
    Ok,
    Prepared,
    ToolError,
    ToolInputInvalid,
    Toolset,
    agent_loop,
    tool,
)
from toolhaft.errors import ToolhaftError
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.chain import verify_chain
from toolhaft.observers.details import CallDetails
from toolhaft.testing import ScriptedModel
from toolhaft.toolset.answers import Decisions

pytestmark = pytest.mark.requirement("approval-edit")

ASKED = {"account": "A-1", "amount": 80}
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@tool(requires_approval=True)
def pay(account: str, amount: int, tags: list[str] = [], tenant: str = "us") -> str:  # noqa: B006
    """Pay an amount."""
    return f"{amount} to {account} {tags} for {tenant}"


class Told:
    """An observer that records calls."""

    def __init__(self) -> None:
        self.done: list[dict[str, Any]] = []

    def started(self, _: Any) -> Callable[[CallDetails], None]:
        return lambda done: self.done.append(done.as_json())


def editing(arguments: Mapping[str, Any], **options: Any) -> Callable[[Prepared[Any]], Edit]:
    return lambda prepared: Edit({**prepared.arguments, **arguments}, **options)


def waiting(tools: Toolset, arguments: Any = ASKED) -> Prepared[Any]:
    outcome = tools.call_sync("pay", arguments)
    assert isinstance(outcome, Err)
    assert outcome.prepared is not None
    return outcome.prepared


def anthropic(*calls: Any) -> dict[str, Any]:
    blocks = [
        {"type": "tool_use", "id": f"c{number}", "name": "pay", "input": arguments}
        for number, arguments in enumerate(calls, 1)
    ]
    return {"role": "assistant", "content": blocks}


def test_what_runs_is_the_edit() -> None:
    tools = Toolset([pay], approve=editing({"amount": "5", "tags": ["x"]}))
    outcomes = [tools.call_sync("pay", ASKED), asyncio.run(tools.call("pay", ASKED))]
    assert [outcome.text for outcome in outcomes] == ["5 to A-1 ['x'] for us"] * 2
    assert all(isinstance(outcome, Ok) for outcome in outcomes)


def test_an_async_person_edits_too() -> None:
    async def approve(prepared: Prepared[Any]) -> Edit:
        await asyncio.sleep(0)
        return Edit({"account": "B", "amount": 1})

    outcome = asyncio.run(Toolset([pay]).call("pay", ASKED, approve=approve))
    assert outcome.text == "1 to B [] for us"


def test_an_edit_replaces_all_arguments() -> None:
    tools = Toolset([pay])
    asked = {**ASKED, "tags": ["a"], "tenant": "them"}
    outcome = tools.call_sync("pay", asked, approve=lambda _: Edit({"account": "B", "amount": 1}))
    assert outcome.text == "1 to B [] for us"


def test_the_program_is_asked_about_the_edit() -> None:
    seen: list[Any] = []

    def authorize(arguments: Mapping[str, Any]) -> bool:
        seen.append(arguments["amount"])
        return bool(arguments["amount"] != 5)

    tools = Toolset([pay], authorize=authorize)
    outcome = tools.call_sync("pay", ASKED, approve=editing({"amount": 5}))
    assert isinstance(outcome, Err)
    assert (outcome.kind, seen) == ("denied", [80, 5])


WRONG: list[dict[str, Any]] = [
    {}, {"account": "B"}, {"account": "B", "amount": "secret"}, {**ASKED, "more": 1},
    {**ASKED, "amount": float("nan")}, {**ASKED, "account": {"a", "b"}},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_edit_denies_in_approve(wrong: Any, caplog: pytest.LogCaptureFixture) -> None:
    told = Told()
    tools = Toolset([pay], observers=[told])
    with caplog.at_level(logging.ERROR, "toolhaft"):
        outcome = tools.call_sync("pay", ASKED, approve=lambda _: Edit(wrong))
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("denied", "none")
    assert outcome.text == (
        "This call is not permitted and was not run. Please do not try it again."
    )
    assert "tool pay: approve returned an invalid edit: " in caplog.text
    assert f"(id {outcome.error_id})" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_edit_raises_in_resume_and_nothing_is_used_up(wrong: Any) -> None:
    ran: list[int] = []

    @tool(requires_approval=True, name="pay")
    def paying(account: str, amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"{amount}"

    wire = Toolset([paying]).export("anthropic")
    text = wire.answer_sync(anthropic(ASKED, ASKED)).to_json(key="k")
    with pytest.raises(ToolInputInvalid):
        wire.resume_sync(text, {"c1": True, "c2": Edit(wrong)}, key="k")
    assert ran == []
    answer = wire.resume_sync(text, {"c1": True, "c2": Edit({**ASKED, "amount": 7})}, key="k")
    assert [outcome.text for outcome in answer.outcomes] == ["80", "7"]


def test_resume_takes_every_decision_of_a_turn() -> None:
    wire = Toolset([pay]).export("anthropic")
    text = wire.answer_sync(anthropic(ASKED, ASKED, ASKED)).to_json(key="k")
    decisions: Decisions = {"c1": True, "c2": Deny("no"), "c3": Edit({"account": "B", "amount": 1})}
    for answer in (
        wire.resume_sync(text, decisions, key="k"),
        asyncio.run(wire.resume(text, decisions, key="k")),
    ):
        texts = [outcome.text for outcome in answer.outcomes]
        if texts[0].startswith("80"):
            assert texts == [
                "80 to A-1 [] for us",
                "This call was declined by a person and was not run: no",
                "1 to B [] for us",
            ]
        else:
            assert {getattr(outcome, "kind", "ok") for outcome in answer.outcomes} == {"denied"}


def test_an_edited_call_and_the_call_run_once_together() -> None:
    prepared = waiting(Toolset([pay]))
    edited = Edit({"account": "B", "amount": 1}).apply(prepared)
    assert isinstance(edited, Prepared)
    assert edited.call_sync()
    again = prepared.call_sync()
    assert isinstance(again, Err)
    assert again.kind == "denied"


def test_what_is_hidden_cannot_be_set() -> None:
    ours = pay.transform(hide={"tenant": "acme"}, rename={"amount": "cents"})
    tools = Toolset([ours.replace(name="pay")])
    sent = {"account": "A", "cents": 5}
    left_out = Edit({"account": "B", "amount": 1}, notify_model=True)
    same = editing({"account": "B", "amount": 1}, notify_model=True)
    for approve in (lambda _: left_out, same):
        assert tools.call_sync("pay", sent, approve=approve).content == (
            "1 to B [] for acme",
            "A person changed these arguments before the call ran: account, cents.",
        )
    evil = {"account": "B", "amount": 1, "tenant": "evil"}
    assert isinstance(refused := waiting(tools, sent).edited(evil), Err)
    assert [(issue.path, issue.message) for issue in refused.issues] == [
        (("tenant",), "hidden, and stays as it is")
    ]
    denied = tools.call_sync("pay", sent, approve=lambda _: Edit(evil))
    assert (getattr(denied, "kind", None), "tenant" in denied.text) == ("denied", False)


@pytest.mark.parametrize("arguments", [3, None, "{}", [("amount", 1)]])
def test_an_edit_without_a_mapping_is_an_error(arguments: Any) -> None:
    with pytest.raises(ToolhaftError, match=r"^Edit: arguments: not a mapping; pass"):
        Edit(arguments)


def test_the_model_reads_of_an_edit_only_if_the_program_says_so() -> None:
    tools = Toolset([pay])
    quiet = tools.call_sync("pay", ASKED, approve=editing({"amount": 5}))
    said = tools.call_sync("pay", ASKED, approve=editing({"amount": 5}, notify_model=True))
    same = tools.call_sync("pay", ASKED, approve=editing({}, notify_model=True))
    spelled = tools.call_sync("pay", ASKED, approve=editing({"amount": "80"}, notify_model=True))
    assert quiet.content == "5 to A-1 [] for us"
    assert said.content == (
        "5 to A-1 [] for us", "A person changed these arguments before the call ran: amount.",
    )  # fmt: skip
    assert said.text == "\n\n".join(map(str, said.content))
    assert same.content == spelled.content == "80 to A-1 [] for us"


def test_a_note_is_a_text_part_of_its_own_on_every_wire() -> None:
    tools = Toolset([pay], approve=editing({"amount": 5}, notify_model=True))
    note = "A person changed these arguments before the call ran: amount."
    [result] = tools.export("anthropic").answer_sync(anthropic(ASKED)).results
    assert result["content"] == [
        {"type": "text", "text": "5 to A-1 [] for us"}, {"type": "text", "text": note},
    ]  # fmt: skip
    call = {"id": "c1", "type": "function",
            "function": {"name": "pay", "arguments": json.dumps(ASKED)}}  # fmt: skip
    message = {"role": "assistant", "tool_calls": [call]}
    chat = tools.export("openai-chat").answer_sync({"choices": [{"message": message}]})
    assert chat.results[0]["content"] == f"5 to A-1 [] for us\n\n{note}"


LONG = "the_account_that_receives_the_amount_of_money_which_was_asked_for"


def test_a_note_has_the_names_that_the_model_knows() -> None:
    @tool(input={"type": "object", "properties": {LONG: {"type": "string"}}})
    def send(given: dict[str, Any]) -> str:
        """Send."""
        return "sent"

    asks = send.replace(requires_approval=True)
    wire = Toolset([asks]).export("gemini")
    [name] = wire.tools[0]["functionDeclarations"][0]["parametersJsonSchema"]["properties"]
    assert name != LONG
    response = {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"functionCall": {"id": "c1", "name": "send", "args": {name: "A"}}}],
                },
                "finishReason": "STOP",
            }
        ]
    }
    edit = Edit({LONG: "B"}, notify_model=True)
    at_once = wire.answer_sync(response, approve=lambda _: edit).outcomes
    stored = wire.answer_sync(response).to_json(key="k")
    later = wire.resume_sync(stored, {"c1": edit}, key="k").outcomes
    note = f"A person changed these arguments before the call ran: {name}."
    assert [outcome.content for outcome in (*at_once, *later)] == [("sent", note)] * 2


def test_a_note_stands_beside_images_renderings_and_failures() -> None:
    def image(n: int) -> list[Image | str]:
        """Show."""
        return [Image(PNG, "image/png"), "seen"]

    def fail(n: int) -> str:
        """Fail."""
        raise ToolError("no such order")

    def double(n: int) -> int:
        """Twice."""
        return 2 * n

    note = "A person changed these arguments before the call ran: n."
    made = [
        tool(image, requires_approval=True),
        tool(fail, requires_approval=True),
        tool(double, requires_approval=True, render=lambda n: f"It is {n}."),
        tool(double, name="said", requires_approval=True).with_format(lambda n: {"got": n}),
    ]
    tools = Toolset(made, approve=lambda _: Edit({"n": 2}, notify_model=True))
    shown = {each.name: tools.call_sync(each.name, {"n": 1}) for each in made}
    assert shown["image"].content == (Image(PNG, "image/png"), "seen", note)
    assert shown["fail"].text == f"no such order\n\n{note}"
    assert shown["double"].content == ("It is 4.", note)
    assert shown["said"].content == ('{"got":4}', note)
    assert [outcome.edit is None for outcome in shown.values()] == [False] * 4


def test_what_did_not_run_has_no_note() -> None:
    tools = Toolset([pay], authorize=lambda arguments: arguments["amount"] == 80)
    outcome = tools.call_sync("pay", ASKED, approve=editing({"amount": 5}, notify_model=True))
    assert outcome.text == "This call is not permitted and was not run. Please do not try it again."
    assert outcome.edit is not None


def test_an_exception_of_the_handler_passes_through_execute() -> None:
    @tool(requires_approval=True)
    def fail(n: int) -> str:
        """Fail."""
        raise KeyError(n)

    failing = Toolset([fail], approve=lambda _: Edit({"n": 2}))["fail"]
    with pytest.raises(KeyError, match="2"):
        failing.execute_sync({"n": 1})


# ------------------------------------------------------------------- digests and the audit


@given(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["approve", "resume", "prepared"]))
def test_both_digests_are_those_of_what_was_asked_and_of_what_ran(
    asked: int, edited: int, way: str
) -> None:
    told = Told()
    tools = Toolset([pay], observers=[told])
    before, after = {"account": "A", "amount": asked}, {"account": "B", "amount": edited}
    digests = [waiting(Toolset([pay]), arguments).digest for arguments in (before, after)]
    if way == "approve":
        outcome = tools.call_sync("pay", before, approve=lambda _: Edit(after))
    elif way == "prepared":
        call = waiting(tools, before).edited(after)
        assert isinstance(call, Prepared)
        resumed = tools.resume(call.to_json(key="k"), key="k")
        assert isinstance(resumed, Prepared)
        outcome = resumed.call_sync()
    else:
        wire = tools.export("anthropic")
        text = wire.answer_sync(anthropic(before)).to_json()
        [outcome] = wire.resume_sync(text, {"c1": Edit(after)}).outcomes
    assert outcome.text == f"{edited} to B [] for us"
    assert outcome.edit is not None
    assert [outcome.edit.asked, outcome.edit.digest] == digests
    ran = told.done[-1]
    assert [ran["asked_digest"], ran["digest"]] == digests
    if way != "approve":
        assert [told.done[0][name] for name in ("asked_digest", "digest")] == [None, digests[0]]


@pytest.mark.parametrize("answer", [True, False, Deny("no"), Edit({"amount": "?"})], ids=repr)
def test_the_digest_of_what_a_person_approved_or_declined_is_told(answer: Any) -> None:
    told = Told()
    tools = Toolset([pay], observers=[told])
    digest = waiting(Toolset([pay]), ASKED).digest
    outcome = tools.call_sync("pay", ASKED, approve=lambda _: answer)
    [done] = told.done
    assert [done["digest"], done["asked_digest"]] == [digest, None]
    assert (bool(outcome), outcome.edit) == (answer is True, None)
    assert pickle.loads(pickle.dumps(outcome)).as_json() == outcome.as_json()


def test_the_audit_log_has_both_digests(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    tools = Toolset([pay], observers=[log])
    prepared = waiting(tools)
    edited = prepared.edited({"account": "B", "amount": 1})
    assert isinstance(edited, Prepared)
    edited.call_sync()
    log.close()
    lines = (tmp_path / "audit.jsonl").read_bytes().splitlines(keepends=True)
    verify_chain(lines)
    records = [json.loads(line) for line in lines]
    assert [(each["kind"], each["digest"], each["asked_digest"]) for each in records] == [
        ("approval_required", prepared.digest, None),
        ("ok", edited.digest, prepared.digest),
    ]


def test_an_edit_of_an_edit_keeps_what_was_asked_first() -> None:
    prepared = waiting(Toolset([pay]))
    first = prepared.edited({"account": "B", "amount": 1})
    assert isinstance(first, Prepared)
    second = first.edited({"account": "C", "amount": 2})
    assert isinstance(second, Prepared)
    outcome = second.call_sync()
    assert outcome.edit is not None
    assert [outcome.edit.asked, outcome.edit.digest] == [prepared.digest, second.digest]


def test_an_edited_call_keeps_its_key_and_its_caller() -> None:
    seen: list[CallInfo] = []

    @tool(requires_approval=True, name="pay")
    def paying(amount: int, call: CallInfo) -> None:
        """Pay."""
        seen.append(call)

    wire = Toolset([paying]).export("anthropic")
    answer = wire.answer_sync(anthropic({"amount": 1}), key="turn 1")
    wire.resume_sync(answer.to_json(), {"c1": Edit({"amount": 2})})
    again = wire.answer_sync(anthropic({"amount": 1}), key="turn 1", approve=lambda _: True)
    assert not again.pending
    assert [call.id for call in seen] == ["c1", "c1"]
    assert seen[0].key == seen[1].key


def test_an_edit_goes_through_the_loop() -> None:
    async def run() -> list[str]:
        messages: list[Any] = [{"role": "user", "content": "Pay."}]
        client = ScriptedModel(("pay", ASKED), "Done.")
        events = agent_loop.run(
            client, model="m", messages=messages, tools=Toolset([pay]),
            approve=editing({"amount": 5}, notify_model=True),
        )  # fmt: skip
        return [
            event.outcome.text async for event in events if isinstance(event, agent_loop.Called)
        ]

    assert asyncio.run(run()) == [
        "5 to A-1 [] for us\n\nA person changed these arguments before the call ran: amount."
    ]


def test_a_decision_of_another_kind_is_refused() -> None:

    wire = Toolset([pay]).export("anthropic")
    text = wire.answer_sync(anthropic(ASKED)).to_json()
    wrong: Any = {"c1": {"amount": 5}}
    with pytest.raises(ToolhaftError, match=r"use True, Deny\(\"...\"\) or Edit\(\{...\}\)"):
        wire.resume_sync(text, wrong)


def test_an_edit_shows_no_value() -> None:
    assert repr(Edit({"secret": "s3"})) == "Edit(notify_model=False)"
