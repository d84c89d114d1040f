"""Read a response the same way whether it is an SDK's object or a plain dict.

No SDK is imported: objects are read by their attributes, mappings by their keys. A field that is
missing or of another kind raises one `WireError` that names its place.

Forms of callers were read on 2026-11-28 from openai 3.52.0 (`ResponseFunctionToolCall.caller`) and
anthropic 2.11.0 (`ToolUseBlock.caller`). A caller that is absent is the model, as it was before
there was another. One of an unknown kind may call nothing, but its answer is written to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, NamedTuple

from toolhaft.call.types import AnyOrigin
from toolhaft.errors import WireError

__all__ = ["CODE_EXECUTION", "FoundCall", "Part", "is_code_execution", "is_program", "read_caller"]

NO_OBJECTS = (str, bytes, int, float, list, tuple)
# Anthropic's tool has a version, and its callers with it.
CODE_EXECUTION: Final = re.compile("code_execution_[0-9]{8}")


@lru_cache(maxsize=256)
def _in_snake_case(key: str) -> str:
    return re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", key)


class FoundCall(NamedTuple):
    """A call in a response: the path of its id, the id if it has one, name and arguments.

    One that is `cut_off` may be whole only by chance, and is never run. `caller` is who made it,
    as the provider wrote it, and `origin` what kind of caller that is. If it `is_text`, its
    arguments are the text of a custom tool.
    """

    where: str
    id: str | None
    name: str
    arguments: Any
    cut_off: bool = False
    caller: dict[str, Any] | None = None
    origin: AnyOrigin = "direct"
    is_text: bool = False


class Part:
    """A part of a response, and where in the response it stands.

    >>> whole = Part("openai", {"output": [{"type": "message"}]})
    >>> [item.get("type") for item in whole.parts("output")]
    ['message']
    >>> whole.parts("output")[0].text("name")
    Traceback (most recent call last):
    toolhaft.errors.WireError: openai: output[0].name: missing; expected text
    """

    __slots__ = ("data", "path", "provider")

    def __init__(self, provider: str, data: Any, path: str = "") -> None:
        self.provider: str = provider
        self.data: Any = data
        self.path: str = path

    def get(self, key: str) -> Any:
        """Return a field as it is, or None if it is missing.

        JSON's `callId` may be `call_id` in an SDK's object.
        """
        value = self._get(key)
        return self._get(_in_snake_case(key)) if value is None and not key.islower() else value

    def _get(self, key: str) -> Any:
        if isinstance(self.data, Mapping):
            return self.data.get(key)
        return getattr(self.data, key, None)

    def part(self, key: str) -> Part:
        """Return a field that is an object.

        Raises:
            WireError: It is missing, or not an object.
        """
        value = self.get(key)
        if value is None or isinstance(value, NO_OBJECTS):
            raise self.wrong(key, "an object")
        return Part(self.provider, value, self.at(key))

    def either(self, *keys: str) -> Part | None:
        """Return the first field that is present, as its own part; None if all are missing."""
        present = next((key for key in keys if self.get(key) is not None), None)
        return None if present is None else self.part(present)

    def parts(self, key: str) -> list[Part]:
        """Return the members of a field that is a list.

        Raises:
            WireError: It is missing, or not a list.
        """
        values = self.get(key)
        if not isinstance(values, list | tuple):
            raise self.wrong(key, "a list")
        where = self.at(key)
        return [
            Part(self.provider, value, f"{where}[{index}]") for index, value in enumerate(values)
        ]

    def only(self, key: str, *, among: str) -> Part:
        """Return the one member of a list; a part that has `key` is itself a member.

        Raises:
            WireError: There are several members, or none.
        """
        if self.get(key) is not None:
            return self
        members = self.parts(among)
        if len(members) != 1:
            what = among.removesuffix("s")
            reason = f"there are {len(members)}; pass the {what} that is to be answered"
            raise WireError(self.provider, among, reason)
        return members[0]

    def text(self, key: str) -> str:
        """Return a field that is text.

        Raises:
            WireError: It is missing, or not text.
        """
        value = self.get(key)
        if not isinstance(value, str):
            raise self.wrong(key, "text")
        return value

    def id(self, key: str) -> str | None:
        """Return a field that is an id, or None if it is missing or empty.

        Raises:
            WireError: It is not text.
        """
        return self.text(key) or None if self.get(key) is not None else None

    def word(self, key: str) -> str | None:
        """Return a field that is text, a number or a member of an enum as text; else None."""
        value = self.get(key)
        value = value.value if isinstance(value, Enum) else value
        return str(value) or None if isinstance(value, str | int | float) else None

    def index(self, key: str) -> int:
        """Return a field that is a place in a list.

        Raises:
            WireError: It is missing, or not a whole number.
        """
        value = self.get(key)
        if not isinstance(value, int):
            raise self.wrong(key, "a whole number")
        return value

    def plain(self) -> dict[str, Any]:
        """Return this part as a new dict; of an SDK's object, the fields that were set, as JSON.

        Raises:
            WireError: It is not an object.
        """
        if isinstance(self.data, Mapping):
            return dict(self.data)
        # The SDKs' objects are pydantic's, and often made unchecked.
        dump = getattr(self.data, "model_dump", None)
        try:
            plain = dump and dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
        except ValueError:
            plain = None
        if not isinstance(plain, dict):
            raise WireError(self.provider, self.path, "of another kind; expected an object")
        return plain

    def at(self, key: str) -> str:
        """Return the place of a field, as in `output[1].name`."""
        return f"{self.path}.{key}" if self.path else key

    def wrong(self, key: str, expected: str) -> WireError:
        """Return an error about a field that is missing or of another kind than expected."""
        fault = "missing" if self.get(key) is None else "of another kind"
        return WireError(self.provider, self.at(key), f"{fault}; expected {expected}")


def read_caller(
    call: Part, is_programmatic: Callable[[dict[str, Any]], bool]
) -> tuple[dict[str, Any] | None, AnyOrigin]:
    """Return the caller of a call as plain data, if it is an object, and its kind."""
    if call.get("caller") is None:
        return None, "direct"
    try:
        caller = call.part("caller").plain()
    except WireError:
        return None, "unknown"
    if caller.get("type") == "direct":
        return caller, "direct"
    return caller, "programmatic" if is_programmatic(caller) else "unknown"


def is_program(caller: dict[str, Any]) -> bool:
    """Whether a caller is a program of OpenAI's programmatic tool calling."""
    return caller.get("type") == "program" and _is_id(caller.get("caller_id"))


def is_code_execution(caller: dict[str, Any]) -> bool:
    """Whether a caller is code that Anthropic's code execution tool runs."""
    kind = caller.get("type")
    is_version = isinstance(kind, str) and CODE_EXECUTION.fullmatch(kind) is not None
    return is_version and _is_id(caller.get("tool_id"))


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value)
