"""Many recorded calls through one boundary: read rows, gate or run each, count what happened.

Everything streams and nothing here knows the command line. `gate` takes a batch of Arrow data in
any engine, `reward` one call. For files, `pieces` cuts inputs, `work` gates a piece, `pool` does so
in processes, `journal` records finished work; `job` sends each call through its tool, a `record` is
the result of a call, and `summary` counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolhaft.batch.rewarding import Reward
    from toolhaft.loading.source import Tools
    from toolhaft.tools.tool import AnyTool

__all__ = ["gate", "gates", "output_schema", "reward", "rewards", "tools_digest"]


def gate(batch: Any, tools: Tools, *, digest: str | None = None) -> Any:
    """Validate and repair the calls of a batch.

    Args:
        batch: Arrow data with the columns `name` and `arguments` (text), and optionally `id` and
            `tool_id`; or with `messages`, in which each call is one row.
        tools: The tools, or better the place of the tools, which each process loads once:
            `package.module:name`, `path.py:name` or a JSON file of tool definitions.
        digest: A digest from `tools_digest`; other tools are then rejected.

    Returns:
        A `pyarrow.Table` with a row for each call.

    >>> import pyarrow as pa
    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> calls = pa.table({"name": ["double", "double"], "arguments": ['{"n": "4"}', "{}"]})
    >>> gate(calls, [double]).select(["kind", "arguments"]).to_pylist()
    [{'kind': 'accepted', 'arguments': '{"n":4}'}, {'kind': 'invalid_input', 'arguments': None}]
    """
    from toolhaft.batch.arrow import gate_batch

    return gate_batch(batch, tools, digest)


def gates(batches: Iterable[Any], tools: Tools, *, digest: str | None = None) -> Iterator[Any]:
    """Validate and repair the calls of many batches; yield `pyarrow.RecordBatch` objects.

    Args:
        batches: An iterable of batches; see `gate`.
        tools: The tools, or better the place of the tools, which each process loads once:
            `package.module:name`, `path.py:name` or a JSON file of tool definitions.
        digest: A digest from `tools_digest`; other tools are then rejected.
    """
    for batch in batches:
        yield from gate(batch, tools, digest=digest).to_batches()


def output_schema() -> Any:
    """Return the `pyarrow.Schema` of the tables that `gate` returns.

    `row` counts the rows of the batch from 0. `message` and `index` locate a call in the
    conversation of that row, and are null for a plain row.
    """
    from toolhaft.batch.columns import gate_schema

    return gate_schema()


def tools_digest(tools: Tools) -> str:
    """Return the SHA-256 of everything that calls of the tools are validated by.

    It is the same in every process.

    Args:
        tools: The tools or their place; see `gate`.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> tools_digest([double]) == tools_digest([double.replace(name="twice")])
    False
    """
    from toolhaft.batch.catalogue import digest_of
    from toolhaft.loading.source import load_tools

    return digest_of(tool for tool, _ in load_tools(tools).tools)


def reward(call: Any, tool: AnyTool) -> Reward:
    """Score the arguments of one call.

    Args:
        call: The arguments as a model wrote them: text, or JSON data.
        tool: The tool.

    Returns:
        A `Reward`: 1 for a valid call, 0.5 for a repaired and 0 for an invalid one.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> reward('{"n": 4}', double), reward('{"n": "4"}', double).score
    (Reward(score=1.0, kind='valid', repairs=0, issues=0, reason=''), 0.5)
    >>> reward("{}", double).reason
    'Please rewrite the input with valid arguments. Errors: n: required'
    """
    from toolhaft.batch.rewarding import reward_call

    return reward_call(call, tool)


def rewards(
    completions: Sequence[Any], tools: Tools, *, digest: str | None = None
) -> list[Reward | None]:
    """Score completions, each by the mean of its calls.

    Args:
        completions: A list of calls, messages with `tool_calls`, lists of messages, or JSON texts
            of these. Any other text has no call.
        tools: The tools, or better the place of the tools, which each process loads once:
            `package.module:name`, `path.py:name` or a JSON file of tool definitions.
        digest: A digest from `tools_digest`; other tools are then rejected.

    Returns:
        A `Reward` for each completion, or None if it has no call. A call of an unknown tool counts
        as invalid.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> call = {"type": "function", "function": {"name": "double", "arguments": '{"n": "4"}'}}
    >>> rewards([[{"role": "assistant", "tool_calls": [call]}], "Hello."], [double])
    [Reward(score=0.5, kind='repaired', repairs=1, issues=0, reason=''), None]
    """
    from toolhaft.batch.rewarding import reward_completions

    return reward_completions(completions, tools, digest)
