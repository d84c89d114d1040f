"""Forged texts: a call that travelled runs as it was approved, once; all else is denied."""

from __future__ import annotations

import hashlib
import hmac
import json
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import pytest
from annotated_types import Ge, Le

from tests.hostile.witnesses import KEY, RUNS, plain
from toolhaft import Deny, Doc, Err, Prepared, Toolset, tool
from toolhaft.errors import ToolDenied, ToolhaftError
from toolhaft.jsonio.canonical import canonical
from toolhaft.tools.tool import AnyTool

EXACT: Final = 2**53 + 1
SENT: Final[dict[str, Any]] = {
    "account": "A-1",
    "amount": EXACT,
    "rate": 0.5,
    "note": unicodedata.normalize("NFC", "caf\u00e9"),
    "rows": [{"n": 1}, {"n": 2}],
}


def transfer(
    account: str,
    amount: int,
    rate: float,
    note: str,
    rows: list[dict[str, int]],
    currency: Literal["EUR", "USD"] = "EUR",
) -> Any:
    """Move money."""
    RUNS.append(None)
    given = {"account": account, "amount": amount, "rate": rate, "note": note, "rows": rows}
    return {**given, "currency": currency}


APPROVED: Final = {**SENT, "currency": "EUR"}
TOOL: Final = tool(transfer, output=None, requires_approval=True)
TOOLS: Final = Toolset([TOOL])


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RUNS.clear()


def held(sent: Any = SENT, one: AnyTool = TOOL) -> Prepared[Any]:
    made = one.prepare(sent)
    assert isinstance(made, Prepared), made.text
    return made


def denied(outcome: object) -> bool:
    assert isinstance(outcome, Err), outcome
    assert (outcome.kind, outcome.effect, RUNS) == ("denied", "none", [])
    return True


def runs_as_approved(text: str, key: Any = KEY) -> bool:
    """Whether a text still is the call that was approved: a forgery has used nothing up."""
    again = TOOLS.resume(text, key=key)
    assert isinstance(again, Prepared), again.text
    assert plain(again.arguments) == APPROVED
    assert (again.call_sync().unwrap(), len(RUNS)) == (APPROVED, 1)
    return True


# ----------------------------------------------------------------------------- another content


def with_fields(**fields: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **fields})


def with_arguments(**changes: Any) -> Callable[[str], str]:
    return with_fields(arguments={**SENT, **changes})


def without(name: str) -> Callable[[str], str]:
    def forge(text: str) -> str:
        data = json.loads(text)
        del data[name]
        return json.dumps(data)

    return forge


def replaced(old: str, new: str) -> Callable[[str], str]:
    def forge(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return forge


def from_another(*names: str) -> Callable[[str], str]:
    """Take members of the text of another call, which was approved as well."""

    def forge(text: str) -> str:
        other = json.loads(held({**SENT, "amount": 7}).to_json(key=KEY))
        return json.dumps({**json.loads(text), **{name: other[name] for name in names}})

    return forge


def sealed_over(write: Callable[[Any], bytes], digest: str = "sha256") -> Callable[[str], str]:
    """Seal a changed text with the right key, but over another form of it."""

    def forge(text: str) -> str:
        content = json.loads(with_arguments(amount=7)(text))
        del content["seal"]
        seal = hmac.new(KEY.encode(), write(content), digest).hexdigest()
        return json.dumps({**content, "seal": seal})

    return forge


def sealed_without_a_key(text: str) -> str:
    content = json.loads(with_arguments(amount=7)(text))
    del content["seal"]
    return json.dumps({**content, "seal": hashlib.sha256(canonical(content)).hexdigest()})


def in_upper_case(text: str) -> str:
    data = json.loads(text)
    return json.dumps({**data, "seal": data["seal"].upper()})


NFD: Final = unicodedata.normalize("NFD", SENT["note"])
FORGERIES: Final[dict[str, Callable[[str], Any]]] = {
    "another amount": with_arguments(amount=7),
    "one less, the same double": with_arguments(amount=EXACT - 1),
    "one more": with_arguments(amount=EXACT + 1),
    "the amount as a double": replaced(f"{EXACT}", f"{EXACT}.0"),
    "the amount as text": with_arguments(amount=str(EXACT)),
    "true for the amount": with_arguments(amount=True),
    "another rate": with_arguments(rate=0.25),
    "another account": with_arguments(account="A-2"),
    "a space more": with_arguments(account="A-1 "),
    "a zero width space more": with_arguments(account="A-1\u200b"),
    "an accent in two parts": with_arguments(note=NFD),
    "another row": with_arguments(rows=[{"n": 1}, {"n": 3}]),
    "rows that change places": with_arguments(rows=[{"n": 2}, {"n": 1}]),
    "a row less": with_arguments(rows=[{"n": 1}]),
    "a default that is said": with_arguments(currency="EUR"),
    "a default that is another": with_arguments(currency="USD"),
    "no arguments": with_fields(arguments={}),
    "arguments of another kind": with_fields(arguments=[SENT]),
    "another name": with_fields(name="other"),
    "another id": with_fields(call_id="c-9"),
    "another digest": with_fields(digest="0" * 64),
    "no digest": without("digest"),
    "another nonce": with_fields(nonce="0" * 32),
    "no nonce": without("nonce"),
    "an empty nonce": with_fields(nonce=""),
    "coercions that never were": with_fields(coercions=[[["amount"], "number_text"]]),
    "a member more": with_fields(context={"user": "eve"}),
    "another version": with_fields(version=2),
    "no version": without("version"),
    "another kind of text": with_fields(toolhaft="answer"),
    "no seal": without("seal"),
    "null for a seal": with_fields(seal=None),
    "an empty seal": with_fields(seal=""),
    "true for a seal": with_fields(seal=True),
    "a list for a seal": with_fields(seal=[]),
    "the seal in upper case": in_upper_case,
    "the seal of another call": from_another("seal"),
    "the arguments of another call": from_another("arguments", "digest"),
    "the nonce of another call": from_another("nonce"),
    "all of another call but its seal": from_another("arguments", "digest", "nonce"),
    "a seal over sorted text": sealed_over(lambda data: json.dumps(data, sort_keys=True).encode()),
    "a seal over text as it came": sealed_over(lambda data: json.dumps(data).encode()),
    "a seal over the arguments alone": sealed_over(lambda data: canonical(data["arguments"])),
    "a seal of a weaker kind": sealed_over(canonical, "sha1"),
    "a seal without a key": sealed_without_a_key,
    "arguments twice": replaced('"arguments":', '"arguments":{"amount":7},"arguments":'),
    "arguments twice, the first forged last": lambda text: text[:-1] + ',"arguments":{}}',
    "an amount twice": replaced(f'"amount":{EXACT}', f'"amount":{EXACT},"amount":7'),
    "an amount twice, escaped": replaced(f'"amount":{EXACT}', f'"amount":{EXACT},"\\u0061mount":7'),
    "a text twice": lambda text: text * 2,
    "a text in a list": lambda text: f"[{text}]",
    "a text in a text": json.dumps,
    "a byte order mark": lambda text: "\ufeff" + text,
    "UTF-16": lambda text: text.encode("utf-16"),
    "a null byte": lambda text: text + "\x00",
    "a comment": lambda text: text + "// approved",
    "nothing": lambda text: "",
    "a dict for its text": json.loads,
    "no text at all": lambda text: None,
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_text_is_denied_and_the_real_one_still_runs(name: str) -> None:
    text = held().to_json(key=KEY)
    forged = FORGERIES[name](text)
    assert forged != text
    assert denied(TOOLS.resume(forged, key=KEY))
    assert runs_as_approved(text)


@pytest.mark.requirement("forged-views")
def test_a_text_that_is_cut_anywhere_is_denied() -> None:
    text = held().to_json(key=KEY)
    assert all(denied(TOOLS.resume(text[:end], key=KEY)) for end in range(len(text)))
    assert all(denied(TOOLS.resume(text[start:], key=KEY)) for start in range(1, len(text)))
    assert runs_as_approved(text)


REWRITTEN: Final[dict[str, Callable[[str], Any]]] = {
    "another order": lambda text: json.dumps(dict(reversed(json.loads(text).items()))),
    "white space": lambda text: json.dumps(json.loads(text), indent=4),
    "escapes": replaced('"account"', '"\\u0061ccount"'),
    "bytes": lambda text: text.encode(),
    "a number in other digits": replaced('"rate":0.5', '"rate":5e-1'),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", REWRITTEN)
def test_a_text_that_says_the_same_in_another_form_is_the_same_call(name: str) -> None:
    assert runs_as_approved(REWRITTEN[name](held().to_json(key=KEY)))


# --------------------------------------------------------------------------------- another key

KEYS: Final[dict[str, tuple[Any, Any]]] = {
    "another key": (KEY, "another"),
    "no key": (KEY, None),
    "an empty key": (KEY, ""),
    "an empty key in bytes": (KEY, b""),
    "a key with a line break": (KEY, KEY + "\n"),
    "a key that begins alike": (KEY, KEY[:-1]),
    "a key in another case": (KEY, KEY.upper()),
    "a key for a text without a seal": (None, KEY),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", KEYS)
def test_another_key_is_denied_and_the_right_one_still_fits(name: str) -> None:
    wrote, reads = KEYS[name]
    text = held().to_json(key=wrote)
    assert denied(TOOLS.resume(text, key=reads))
    assert runs_as_approved(text, wrote)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    "forge",
    [
        with_arguments(amount=7),
        with_arguments(amount=EXACT - 1),
        with_arguments(note=NFD),
        with_fields(digest="0" * 64),
        with_fields(digest=None),
    ],
)
def test_without_a_key_the_digest_still_holds_the_arguments(forge: Callable[[str], str]) -> None:
    text = held().to_json()
    assert denied(TOOLS.resume(forge(text)))
    assert runs_as_approved(text, None)


# -------------------------------------------------------------------------------- another tool


def by_type(types: dict[str, Any], **options: Any) -> AnyTool:
    """Make the same tool with other types of its parameters."""

    def move(account: str, amount: int, currency: str = "EUR") -> Any:
        RUNS.append(None)
        return {"account": account, "amount": amount, "currency": currency}

    move.__annotations__.update(types)
    options = {"name": "move", "description": "Move money.", "output": None, **options}
    made: AnyTool = tool(move, **options)
    return made


def with_more(account: str, amount: int, currency: str = "EUR", fee: int = 0) -> Any:
    """Move money."""
    RUNS.append(None)
    return {"account": account, "amount": amount, "currency": currency, "fee": fee}


def with_less(account: str, amount: int) -> Any:
    """Move money."""
    RUNS.append(None)
    return {"account": account, "amount": amount}


SMALL: Final = {"account": "A-1", "amount": 20}
CLOSED: Final = {
    "type": "object",
    "properties": {"account": {"type": "string"}, "amount": {"type": "integer"}},
    "required": ["account", "amount"],
}
OTHERS: Final[dict[str, AnyTool]] = {
    "another description": by_type({}, description="Move all money."),
    "other annotations": by_type({}, annotations={"destructiveHint": False}),
    "another name": by_type({}, name="move_all"),
    "another output": by_type({}, output={"type": "object"}),
    "another type": by_type({"amount": float}),
    "a union": by_type({"amount": int | None}),
    "a bound": by_type({"amount": Annotated[int, Ge(1)]}),
    "another bound": by_type({"amount": Annotated[int, Le(1_000_000)]}),
    "words about a parameter": by_type({"amount": Annotated[int, Doc("In cents.")]}),
    "a parameter more": tool(with_more, name="move", description="Move money.", output=None),
    "a parameter less": tool(with_less, name="move", description="Move money.", output=None),
    "undeclared keys": by_type({}, extra="ignore"),
    "another schema": by_type({}, parameters=CLOSED),
    "a view with another name": by_type({}).transform(rename={"amount": "sum"}),
    "a view with other words": by_type({}).transform(describe={"amount": "In cents."}),
    "a view that hides": by_type({}).transform(hide={"currency": "USD"}),
    "a view with another default": by_type({}).transform(defaults={"currency": "USD"}),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", OTHERS)
def test_another_tool_of_the_same_name_does_not_run_what_was_approved(name: str) -> None:
    text = held(SMALL, by_type({})).to_json(key=KEY)
    assert denied(Toolset([OTHERS[name]]).resume(text, key=KEY))
    again = Toolset([by_type({})]).resume(text, key=KEY)
    assert isinstance(again, Prepared)
    assert again.call_sync().unwrap() == {**SMALL, "currency": "EUR"}


@pytest.mark.requirement("forged-views")
def test_a_set_that_asks_more_is_asked_where_a_call_comes_back() -> None:
    one = by_type({})
    text = held(SMALL, one).to_json(key=KEY)
    asked: list[Any] = []

    def no(arguments: Any, context: Any) -> bool:
        asked.append(plain(arguments))
        return False

    for tools, asking in (
        (Toolset([one], authorize=no), None),
        (Toolset([one.replace(authorize=no)]), None),
        (Toolset([one]), no),
    ):
        again = tools.resume(text, key=KEY, authorize=asking)
        assert isinstance(again, Prepared)
        assert denied(again.call_sync())
    assert asked == [{**SMALL, "currency": "EUR"}] * 3
    again = Toolset([one]).resume(text, key=KEY)
    assert isinstance(again, Prepared)
    assert again.call_sync()


# ------------------------------------------------------------------------------ whole answers


def response(*amounts: int) -> dict[str, Any]:
    calls = [
        {
            "type": "function_call",
            "call_id": f"c{place}",
            "name": "transfer",
            "arguments": json.dumps({**SENT, "amount": amount}),
        }
        for place, amount in enumerate(amounts)
    ]
    return {"output": calls}


def amounts(outcomes: list[Any]) -> list[Any]:
    return [one.value["amount"] if one else one.kind for one in outcomes]


@pytest.mark.requirement("forged-views")
def test_an_answer_runs_what_was_decided_and_nothing_that_was_put_in_its_place() -> None:
    wire = TOOLS.export("openai")
    text = wire.answer_sync(response(5, 6)).to_json(key=KEY)
    data = json.loads(text)
    data["calls"].reverse()
    forged = [
        json.dumps(data),
        text.replace('"amount":5', '"amount":7'),
        text.replace('"c0"', '"c1"'),
        text.replace('"toolhaft":"answer"', '"toolhaft":"call"'),
    ]
    for one in forged:
        assert one != text
        with pytest.raises(ToolDenied):
            wire.resume_sync(one, {"c0": True, "c1": True}, key=KEY)
    with pytest.raises(ToolhaftError):
        wire.resume_sync(text, {"c9": True}, key=KEY)
    with pytest.raises(ToolhaftError):
        wire.resume_sync(text, {"c0": 1}, key=KEY)  # type: ignore[dict-item]
    assert RUNS == []
    first = wire.resume_sync(text, {"c0": True, "c1": Deny("no")}, key=KEY)
    again = wire.resume_sync(text, {"c0": True, "c1": True}, key=KEY)
    assert (amounts(first.outcomes), amounts(again.outcomes)) == ([5, "denied"], ["denied"] * 2)
    assert len(RUNS) == 1


@pytest.mark.requirement("forged-views")
def test_one_kind_of_text_is_not_taken_for_the_other() -> None:
    wire = TOOLS.export("openai")
    answer = wire.answer_sync(response(5))
    call, whole = answer.pending[0].to_json(key=KEY), answer.to_json(key=KEY)
    assert denied(TOOLS.resume(whole, key=KEY))
    with pytest.raises(ToolDenied):
        wire.resume_sync(call, {"c0": True}, key=KEY)
    with pytest.raises(ToolDenied):
        TOOLS.export("anthropic").resume_sync(whole, {"c0": True}, key=KEY)
    assert RUNS == []
