"""Many recorded calls through one boundary: read rows, gate or run each, count what happened.

Everything streams and nothing here knows the command line. `gate` takes a batch of Arrow data in
any engine, `reward` one call. Of files, `pieces` cuts inputs, `work` gates a piece, `pool` does so
in processes, `journal` keeps what is done; `job` sends each call through its tool, a `record` is
what came of it, and `summary` counts them.
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
    """Validate and repair the calls of a batch; give a `pyarrow.Table` with a row for each.

    The columns are `name`, `arguments` (text), and where there are any `id` and `tool_id`; or
    `messages`, of which each call is one row. `tools` is best the place of tools, which each
    process loads once: `package.module:name`, `path.py:name` or a file of declarations. With
    `digest`, of `tools_digest`, other tools than those are refused.

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
    """Validate and repair the calls of many batches; yield `pyarrow.RecordBatch` objects."""
    for batch in batches:
        yield from gate(batch, tools, digest=digest).to_batches()


def output_schema() -> Any:
    """Give the `pyarrow.Schema` of what `gate` gives, for engines that ask before they run it.

    `row` counts the rows of the batch from 0; `message` and `index` say where in the conversation
    of that row a call stands, and are null for a plain row.
    """
    from toolhaft.batch.parquet import gate_schema

    return gate_schema()


def tools_digest(tools: Tools) -> str:
    """Give the SHA-256 of what calls of the tools are held to, the same in every process.

    `tools` are the tools, or their place, as `gate` takes them.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> tools_digest([double]) == tools_digest([double.replace(name="twice")])
    False
    """
    from toolhaft.batch.digest import digest_of
    from toolhaft.loading.source import load_tools

    return digest_of(tool for tool, _ in load_tools(tools).tools)


def reward(call: Any, tool: AnyTool) -> Reward:
    """Score the arguments of one call, as a model wrote them: text, or JSON data.

    `score` is 1 for valid, 0.5 for repaired and 0 for refused; repairs and issues are counted,
    and `reason` says why a call was refused.

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
    """Score completions, each by the mean of its calls; None for one without a call.

    A completion is a call, a message with `tool_calls`, a list of messages, or the JSON text of
    one of these; text that is none of these has no call. A call of an unknown tool is refused;
    `reason` says so. Trainers leave out None, or take it for a score of their own.

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
