"""Resources and prompts, which an MCP server offers beside its tools.

Each is a function that is called like a tool: its arguments are validated and its result is
checked. The `visible`, `authorize`, limits, timeouts and observers of the toolset apply to it. The
arguments of a resource are the variables of its address.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial, wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, ParamSpec, TypeVar
from urllib.parse import unquote_to_bytes

from toolhaft.content import PARTS
from toolhaft.definition.names import hidden_character
from toolhaft.definition.options import UNSET
from toolhaft.errors import DefinitionError, Fault
from toolhaft.jsonio import jsontext
from toolhaft.review.lock import map_by_name
from toolhaft.toolset.internals import joined
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.content import Content
    from toolhaft.tools.tool import AnyTool

__all__ = ["MOST_URI_CHARS", "Message", "Offers", "Prompt", "Resource", "UriTemplate"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

SCHEME: Final = re.compile("[a-z][a-z0-9+.-]*:[^{}]")
VARIABLE: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
MOST_URI_CHARS: Final = 2_048
ROLES: Final = ("user", "assistant")
# A value is one segment of a path, without characters that lead to other folders.
FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f/\\]|\A\.\.?\Z")


class Message(NamedTuple):
    """One message of a prompt: a text, or content such as an image or a file."""

    role: Literal["user", "assistant"]
    content: Content


class UriTemplate:
    """An address with variables such as `orders://{id}`, each of one segment (RFC 6570, level 1).

    Raises:
        ValueError: It has no scheme, or braces that hold no name.

    >>> UriTemplate("orders://{id}/lines").match("orders://a%20b/lines")
    {'id': 'a b'}
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.names = VARIABLE.findall(text)
        rest = VARIABLE.sub("x", text)
        if not SCHEME.match(rest) or "{" in rest or "}" in rest:
            raise ValueError("an address has a scheme, and variables of one name each")
        if len(set(self.names)) < len(self.names):
            raise ValueError("a variable stands twice in the address")
        parts = VARIABLE.split(text)
        pattern = "".join("([^/?#]+)" if n % 2 else re.escape(one) for n, one in enumerate(parts))
        self.pattern = pattern
        self._match = re.compile(pattern).fullmatch

    def match(self, uri: str) -> dict[str, str] | None:
        """Return the variables of an address; None if it is another one, or leads elsewhere."""
        found = self._match(uri) if len(uri) <= MOST_URI_CHARS else None
        if found is None:
            return None
        try:
            values = [unquote_to_bytes(value).decode() for value in found.groups()]
        except UnicodeDecodeError:
            return None
        if any(FORBIDDEN.search(value) or hidden_character(value) for value in values):
            return None
        return dict(zip(self.names, values, strict=True))


class _Offer(Generic[P, R]):
    """A function that is offered, and still the function that it was."""

    def __init__(self, function: Callable[P, R], **options: Any) -> None:
        from toolhaft.tools.decorator import tool

        self.function = function
        self.tool: AnyTool = tool(function, **options)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.tool.name


class Resource(_Offer[P, R]):
    """A resource: text or data at an address."""

    def __init__(
        self, function: Callable[P, R], uri: str, mime_type: str | None, **options: Any
    ) -> None:
        super().__init__(function, **options)
        self.mime_type = mime_type
        try:
            self.uri = UriTemplate(uri)
        except ValueError as error:
            fix = 'write one such as "orders://{id}"'
            raise DefinitionError([Fault(self.name, "uri", str(error), fix)]) from None


class Prompt(_Offer[P, R]):
    """Messages that a person asks for by name.

    The tool behind it returns their roles in one text, and then the content of each: a result has
    content at its top only.
    """

    def __init__(self, function: Callable[P, R], **options: Any) -> None:
        super().__init__(_flattening(function), output=None, **options)
        self.function = function

    @staticmethod
    def messages(value: Any) -> Iterator[Message]:
        """Yield the messages of what the tool returned."""
        roles, *contents = value
        yield from map(Message, jsontext.read(roles), contents)


def _flattening(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the same signature that returns roles and content of messages."""
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def flat_async(*args: Any, **kwargs: Any) -> list[Any]:
            return _flatten(await function(*args, **kwargs))

        return flat_async

    @wraps(function)
    def flat(*args: Any, **kwargs: Any) -> list[Any]:
        return _flatten(function(*args, **kwargs))

    return flat


def _flatten(value: Any) -> list[Any]:
    is_one = isinstance(value, Message) or not isinstance(value, list | tuple)
    listed: list[Any] = [value] if is_one else list(value)
    messages: list[tuple[Any, Any]] = [
        one if isinstance(one, Message) else ("user", one) for one in listed
    ]
    for role, content in messages:
        if role not in ROLES or not isinstance(content, (str, *PARTS)):
            raise TypeError("a prompt returns texts, content, and Messages of user and assistant")
    return [jsontext.write([role for role, _ in messages]), *(content for _, content in messages)]


class Offers:
    """The resources and prompts of a server, with the callbacks of its toolset.

    Raises:
        DefinitionError: One is defined incorrectly.
        TypeError: Something is neither a resource nor a prompt.
    """

    def __init__(
        self,
        tools: Toolset,
        resources: Iterable[Resource[..., Any]] = (),
        prompts: Iterable[Prompt[..., Any]] = (),
    ) -> None:
        self.resources = _listed("resources", resources, Resource, '@resource("orders://{id}")')
        self.prompts = _listed("prompts", prompts, Prompt, "@prompt()")
        read = joined(tools, [one.tool for one in self.resources])
        ask = joined(tools, [one.tool for one in self.prompts])
        self.resource_tools, self.prompt_tools = read, ask
        faults = [fault for one in self.resources for fault in _faults_of(one)]
        faults += _faults_of_all(self.resources)
        if faults:
            raise DefinitionError(faults)

    @property
    def tools(self) -> tuple[AnyTool, ...]:
        """The tools that the resources and prompts are called as."""
        return *self.resource_tools, *self.prompt_tools

    @classmethod
    def of_module(cls, tools: Toolset, module: ModuleType | None) -> Offers:
        """Collect the resources and prompts of a module; None has none."""
        values = () if module is None else vars(module).values()
        found = list({id(value): value for value in values}.values())
        resources = [one for one in found if isinstance(one, Resource)]
        return cls(tools, resources, [one for one in found if isinstance(one, Prompt)])

    def check_context(self, context: Any = UNSET) -> None:
        """Check that a context has every value that resources and prompts need.

        Raises:
            ContextMissing: It lacks one.
        """
        self.resource_tools.check_context(context)
        self.prompt_tools.check_context(context)

    def definitions(self) -> dict[str, dict[str, Any]]:
        """Describe what is offered for a lock, by its kind and name."""
        read = {f"resource {name}": one for name, one in map_by_name(self.resource_tools).items()}
        ask = {f"prompt {name}": one for name, one in map_by_name(self.prompt_tools).items()}
        for one in self.resources:
            read[f"resource {one.name}"] |= {"uri": one.uri.text, "mime_type": one.mime_type}
        return {**read, **ask}

    def without(self, names: Container[str], tools: Toolset) -> Offers:
        """Leave out what has one of some names, as `definitions` has them."""
        return Offers(
            tools,
            [one for one in self.resources if f"resource {one.name}" not in names],
            [one for one in self.prompts if f"prompt {one.name}" not in names],
        )

    def find(self, uri: str) -> tuple[Resource[..., Any], dict[str, str]] | None:
        """Find the resource of an address, and its arguments."""
        for one in self.resources:
            arguments = one.uri.match(uri)
            if arguments is not None:
                return one, arguments
        return None


def _listed(option: str, given: Any, kind: type[T], decorator: str) -> list[T]:
    """List the resources or prompts, each once."""
    is_iterable = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    listed: list[Any] = list(given) if is_iterable else [None]
    if not all(isinstance(one, kind) for one in listed):
        raise TypeError(f"{option}: expected a list of what {decorator} makes")
    distinct: dict[int, T] = {id(one): one for one in listed}
    return list(distinct.values())


def _faults_of_all(resources: Iterable[Resource[..., Any]]) -> Iterator[Fault]:
    """Return a fault for each resource whose address is another's, so that nobody could read it."""
    known: dict[str, str] = {}
    for one in resources:
        other = known.setdefault(one.uri.pattern, one.name)
        if other != one.name:
            yield Fault(one.name, "uri", f"the address is that of {other}", "give it its own")


def _faults_of(resource: Resource[..., Any]) -> list[Fault]:
    schema = resource.tool.input_schema.json_schema()
    declared, names = set(schema.get("properties", {})), set(resource.uri.names)
    fault = partial(Fault, resource.name, "uri")
    fix = "name the same in the address and in the signature"
    return [
        *(fault(f"the address has {name}, the function not", fix) for name in names - declared),
        *(fault(f"the function has {name}, the address not", fix) for name in declared - names),
    ]
