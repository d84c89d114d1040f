"""Every rule fires on its bad example and is silent on its good one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toolhaft import from_json
from toolhaft.review import checks
from toolhaft.review.checks.config import Config
from toolhaft.review.checks.subject import Subject
from toolhaft.tools.tool import Tool

RULES = checks.rules()
PRELUDE = """
from typing import Annotated
from toolhaft import Doc, Injected, tool
def run(arguments): return arguments
"""


def subjects_of(source: str, path: str) -> tuple[list[Subject], Config]:
    found: dict[str, Any] = {}
    exec(compile(PRELUDE + source, path, "exec"), found)
    listed = found.get("TOOLS", [one for one in found.values() if isinstance(one, Tool)])
    config = Config(targets=tuple(found.get("TARGETS", ())))
    if listed and isinstance(listed[0], dict):
        return [Subject(one, path, runs=False) for one in from_json(listed)], config
    return [Subject(one, path) for one in listed], config


def fired(source: str, code: str, path: Any) -> set[str]:
    path.write_text(PRELUDE + source)
    subjects, config = subjects_of(source, str(path))
    config = replace(config, select=(code,))
    return {one.code for one in checks.check(subjects, config) if one.code == code}


@pytest.mark.parametrize("code", RULES)
def test_a_rule_fires_on_its_bad_example(code: str, tmp_path: Any) -> None:
    assert fired(RULES[code].bad, code, tmp_path / "tools.py") == {code}


@pytest.mark.parametrize("code", RULES)
def test_a_rule_is_silent_on_its_good_example(code: str, tmp_path: Any) -> None:
    assert fired(RULES[code].good, code, tmp_path / "tools.py") == set()


@pytest.mark.parametrize("code", RULES)
def test_a_rule_has_a_reason(code: str) -> None:
    rule = RULES[code]
    assert rule.title
    assert len(rule.why) > 20


def found(source: str, code: str, path: Any) -> list[tuple[str, str]]:
    """Return a rule's findings: the pointer and the message of each."""
    path.write_text(PRELUDE + source)
    subjects, config = subjects_of(source, str(path))
    findings = checks.check(subjects, replace(config, select=(code,)))
    return [(finding.pointer, finding.message) for finding in findings]


FIELDS = """
from pydantic import BaseModel, Field

class Place(BaseModel):
    street: str = Field(description="With the number")
    city: str

@tool
def ship(to: Annotated[Place, Doc("Where to")]) -> None:
    "Ship it."
"""


@pytest.mark.requirement("check-rules-mean-it")
def test_the_fields_of_a_parameter_need_descriptions_too(tmp_path: Any) -> None:
    assert found(FIELDS, "TH102", tmp_path / "tools.py") == [
        ("/input/properties/to/properties/city", "no description")
    ]


@pytest.mark.requirement("check-rules-mean-it")
def test_a_docstring_that_describes_no_parameter_there_is_leaves_none_out(tmp_path: Any) -> None:
    docstring = "'''Wait.\n\n    Args:\n        {name}: Seconds.\n    '''"
    source = "@tool\ndef wait(delay: int, why: str) -> None:\n    " + docstring
    path = tmp_path / "tools.py"
    assert found(source.format(name="dealy"), "TH107", path) == []
    assert found(source.format(name="delay"), "TH107", path) == [
        ("/description", "the docstring leaves out why")
    ]


@pytest.mark.requirement("check-rules-mean-it")
@pytest.mark.parametrize(
    "name",
    [
        *(
            "index_name",
            "retry_policy",
            "endpoint",
            "tenant_id",
            "traceId",
            "base_url",
            "shard_key",
        ),
        *("debugTraceId", "timeout_ms", "timeoutSeconds", "db_host", "dbHost", "DATABASE_URL"),
        *("session_id", "sessionId", "sessionid", "SESSION_ID", "request_id", "xRequestId"),
        *("openai_api_key", "githubAccessToken"),
    ],
)
def test_a_parameter_that_leaks_an_implementation_is_found(name: str, tmp_path: Any) -> None:
    source = f"@tool\ndef find(city: str, {name}: str) -> None:\n    'Find a shop.'\n"
    assert found(source, "TH207", tmp_path / "tools.py") == [
        (f"/input/properties/{name}", "internal configuration")
    ]


@pytest.mark.requirement("check-rules-mean-it")
@pytest.mark.parametrize(
    "name",
    ["index", "timeout", "name", "user_id", "region", "verbose", "host", "request", "database"],
)
def test_a_parameter_that_a_user_may_mean_is_not(name: str, tmp_path: Any) -> None:
    source = f"@tool\ndef find(city: str, {name}: str) -> None:\n    'Find a shop.'\n"
    assert found(source, "TH207", tmp_path / "tools.py") == []


@pytest.mark.requirement("check-rules-mean-it")
@pytest.mark.parametrize(
    ("tool", "name", "count"),
    [
        ("get_trace", "traceId", 0),
        ("list_tenants", "tenant_id", 0),
        ("searchIndex", "index_name", 0),
        ("restart_shards", "shard_id", 0),
        ("plot_elevation", "end_point", 0),
        ("end_session", "session_id", 0),
        ("getRequest", "requestId", 0),
        ("start_process", "timeout_ms", 0),
        ("get_order", "traceId", 1),
        ("search_code", "timeout_ms", 1),
        ("call_api", "api_url", 1),
        ("get_name_by_id", "tenant_id", 1),
        ("get_api_key", "api_key", 1),
        ("rotate_secret", "secret", 1),
    ],
)
def test_words_of_a_tools_subject_are_no_settings_of_the_program(
    tool: str, name: str, count: int, tmp_path: Any
) -> None:
    source = f"@tool\ndef {tool}({name}: str) -> None:\n    'Do it.'\n"
    assert len(found(source, "TH207", tmp_path / "tools.py")) == count


@pytest.mark.requirement("check-rules-mean-it")
@pytest.mark.parametrize(("members", "count"), [("0, 1", 1), ('"0", "1"', 1), ("0, 1, 2", 0)])
def test_nought_and_one_are_a_boolean(members: str, count: int, tmp_path: Any) -> None:
    source = f"from typing import Literal\n@tool\ndef f(a: Literal[{members}]) -> None: 'F.'\n"
    assert len(found(source, "TH205", tmp_path / "tools.py")) == count


@pytest.mark.requirement("check-rules-mean-it")
def test_an_item_of_any_type_has_none(tmp_path: Any) -> None:
    source = "from typing import Any\n@tool\ndef f(a: list[Any], b: list[int]) -> None: 'F.'\n"
    assert found(source, "TH204", tmp_path / "tools.py") == [
        ("/input/properties/a/items", "has no type")
    ]


UNWRITTEN = """
import attrs
from ipaddress import IPv4Address

def even(instance: object, attribute: object, value: int) -> None:
    if value % 2:
        raise ValueError("odd")

@attrs.define
class Plain:
    n: int
    tags: list[str] = attrs.field(factory=list, converter=list)

@attrs.define
class Checked:
    n: int = attrs.field(validator=[attrs.validators.ge(2), even])

@tool
def plain(a: Plain, b: IPv4Address) -> None: "P."

@tool
def checked(a: Checked) -> None: "C."
"""


@pytest.mark.requirement("check-rules-mean-it")
def test_only_checks_that_an_author_wrote_are_reported(tmp_path: Any) -> None:
    assert found(UNWRITTEN, "TH703", tmp_path / "tools.py") == [
        ("", "no schema says input/a: validator even")
    ]


STRICT = """
TARGETS = ["openai"]
schema = {{"type": "string"}}
for _ in range(12):
    schema = {{"type": "object", "properties": {{"a": schema}}, "required": ["a"],
              "additionalProperties": False}}
find = tool(run, name="find", description="Find.", strict={strict}, output=None, input=schema)
"""


@pytest.mark.requirement("check-own-strictness")
def test_targets_are_checked_with_the_tools_own_strictness(tmp_path: Any) -> None:
    path = tmp_path / "tools.py"
    plain, strict = (found(STRICT.format(strict=strict), "TH5", path) for strict in (None, True))
    assert plain == []
    assert [message.partition(":")[0] for _, message in strict] == ["openai"]


@pytest.mark.requirement("check-rules-mean-it")
@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("Hello! Find a shop.", "Hello!"),
        ("Find a shop. Perfect for planning a day out.", "Perfect for"),
        ("Find a shop. Returns comprehensive information.", "comprehensive"),
        ("Finds a shop. This advanced tool looks at opening hours.", "This advanced tool"),
        ("Send the city in order to find a shop.", "in order to"),
        ("Simply send a city to find a shop.", "Simply"),
        ("Find a shop, making it easy to buy flowers.", "making it easy"),
        ("Find a shop. I can help with directions too.", "I can help"),
    ],
)
def test_greetings_praise_and_filler_are_found(description: str, words: str, tmp_path: Any) -> None:
    source = f"@tool\ndef find(city: str) -> None:\n    {description!r}\n"
    assert found(source, "TH110", tmp_path / "tools.py") == [("/description", f"chats: {words}")]


@pytest.mark.requirement("check-rules-mean-it")
@pytest.mark.parametrize(
    "description",
    [
        "Find a shop. Use this when the user is ideally within walking distance.",
        "Find a shop that sells advanced search syntax books.",
        "Say hello to a person by mail.",
    ],
)
def test_an_ordinary_sentence_does_not_chat(description: str, tmp_path: Any) -> None:
    source = f"@tool\ndef greet(city: str) -> None:\n    {description!r}\n"
    assert found(source, "TH110", tmp_path / "tools.py") == []
