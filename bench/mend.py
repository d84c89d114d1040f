"""Does the text of a rejected call lead to a valid call in one turn? Ours and two others'.

    PYTHONPATH=src:.:bench python bench/mend.py [--calls 3000] [--show KIND]

The others are pydantic's and jsonschema's. Recorded and random calls get one to eight faults
(`mend_calls.py`); the restoring reader (`mend_reader.py`) fixes the places that the text names and
calls again. A line is a reader: how many calls of up to five faults are valid after one turn, how
many of up to eight after two, and how many of the places that texts name have a fault. Below: the
same by kind, for calls of up to five faults.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import chain, islice
from random import Random
from typing import Any, Final, NamedTuple

import mend_calls
from mend_calls import Right, Wrong, plant
from mend_reader import READERS, Named, Reader, mend

from toolhaft import DefinitionError, Toolset, tool
from toolhaft.spec import Path

__all__ = ["Tally", "measure", "wrong_calls"]

FEW: Final = 5
MOST: Final = 8
TURNS: Final = 2
MAX_CHARS: Final = 700


class Contender(NamedTuple):
    """An author of texts: for a schema, the text of a call; None if the schema is unsupported."""

    name: str
    reader: Reader
    refusal: Callable[[Any], Callable[[Any], str | None] | None]


class Tally:
    """The results of one contender's texts."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.mended: Counter[tuple[str, int]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.kinds_mended: Counter[str] = Counter()
        self.named = self.right_places = self.unsayable = self.unbounded = self.leaks = 0
        self.chars = self.texts = 0
        self.failures: list[tuple[Wrong, str, str, int]] = []

    def add(self, wrong: Wrong, contender: Contender) -> None:
        """Let the contender reject the call, and fix it by its texts."""
        refusal = contender.refusal(wrong.right.schema)
        if refusal is None or refusal(wrong.right.arguments) is not None:
            self.unsayable += 1
            return
        text = refusal(wrong.sent)
        if text is None:  # it takes the call as it is
            self.unsayable += 1
            return
        group = "few" if len(wrong.faults) <= FEW else "many"
        self.calls[group] += 1
        self._check_text(text)
        sent, first = wrong.sent, text
        for turn in range(1, TURNS + 1):
            named = contender.reader(text, sent, wrong.right.schema)
            if turn == 1:
                self._count_places(wrong, named)
            sent = mend(sent, wrong.right.arguments, named)
            if turn == 1 and group == "few":
                self._count_kinds(wrong, sent)
            text = refusal(sent)
            if text is None:
                for later in range(turn, TURNS + 1):
                    self.mended[group, later] += 1
                return
            self.failures.append((wrong, first, text, turn))

    def _check_text(self, text: str) -> None:
        self.chars += len(text)
        self.texts += 1
        self.unbounded += len(text) > MAX_CHARS
        self.leaks += mend_calls.CANARY in text

    def _count_places(self, wrong: Wrong, named: Iterable[Named]) -> None:
        planted = [place for fault in wrong.faults for place in fault.places]
        for issue in named:
            self.named += 1
            self.right_places += any(
                _meet(place, fault) for place in issue.places for fault in planted
            )

    def _count_kinds(self, wrong: Wrong, sent: Any) -> None:
        for fault in wrong.faults:
            self.kinds[fault.kind] += 1
            right = all(_value(sent, p) == _value(wrong.right.arguments, p) for p in fault.places)
            self.kinds_mended[fault.kind] += right

    def shares(self) -> tuple[float, float, float]:
        """Return one turn of few faults, two turns of all, and places at fault, in percent."""
        one = _percent(self.mended["few", 1], self.calls["few"])
        two = _percent(
            self.mended["few", 2] + self.mended["many", 2], self.calls["few"] + self.calls["many"]
        )
        return one, two, _percent(self.right_places, self.named)


def _meet(one: Path, other: Path) -> bool:
    """Whether one place is the other, or is around it or in it."""
    size = min(len(one), len(other))
    return size > 0 and one[:size] == other[:size]


def _value(data: Any, path: Path) -> str:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return "absent"
    return repr(data)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 100.0


# --------------------------------------------------------------------------------- contenders


def _ours(schema: Any) -> Callable[[Any], str | None] | None:
    try:
        one = tool(lambda _: "ok", name="it", description="It.", input=schema)
        Toolset([one])
    except DefinitionError:
        return None

    def refuse(arguments: Any) -> str | None:
        outcome = one.call_sync(arguments)
        return None if outcome else outcome.text

    return refuse


def _jsonschema(schema: Any) -> Callable[[Any], str | None] | None:
    import json

    jsonschema: Any = import_module("jsonschema")
    validator = jsonschema.Draft202012Validator(schema)

    def refuse(arguments: Any) -> str | None:
        errors = list(validator.iter_errors(arguments))
        lines = (f"{json.dumps(list(e.absolute_path))}: {e.message!s}" for e in errors)
        return "\n".join(line.replace("\n", " ") for line in lines) or None

    return refuse


def _pydantic(schema: Any) -> Callable[[Any], str | None] | None:
    from mend_types import Unsayable, adapter_of
    from pydantic import ValidationError

    try:
        adapter = adapter_of(schema)
    except Unsayable:
        return None

    def refuse(arguments: Any) -> str | None:
        try:
            adapter.validate_python(arguments)
        except ValidationError as error:
            return str(error)
        return None

    return refuse


CONTENDERS: Final[dict[str, Callable[[Any], Callable[[Any], str | None] | None]]] = {
    "toolhaft": _ours,
    "jsonschema": _jsonschema,
    "pydantic": _pydantic,
}


def wrong_calls(count: int, seed: int) -> list[Wrong]:
    """Draw wrong calls, half of them recorded ones where the recorded are at hand."""
    random = Random(seed)  # noqa: S311 - to draw calls
    sources = [mend_calls.random_calls(random)]
    if mend_calls.DATA.exists():
        sources.append(mend_calls.recorded_calls(random, count))
    else:
        sys.stderr.write("the recorded calls are not beside the repository: random ones alone\n")
    wrong: list[Wrong] = []
    for source in sources:
        part = count // len(sources)
        wrong += islice(_planted(source, random), part)
    return wrong


def _planted(rights: Iterable[Right], random: Random) -> Iterable[Wrong]:
    for right in rights:
        refuse = _ours(right.schema)
        if refuse is None or refuse(right.arguments) is not None:
            continue

        def is_refused(sent: Any, refuse: Any = refuse) -> bool:
            return refuse(sent) is not None

        wrong = plant(right, random.randint(1, MOST), random, is_refused)
        if wrong is not None:
            yield wrong


def measure(wrong: Iterable[Wrong], names: Iterable[str]) -> dict[str, Tally]:
    """Let each contender fix each call."""
    tallies = {name: Tally() for name in names}
    for each in wrong:
        for name, tally in tallies.items():
            tally.add(each, Contender(name, READERS[name], CONTENDERS[name]))
    return tallies


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--calls", type=int, default=3000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", default="", help="print failures that hold this kind of fault")
    options.add_argument("--turn", type=int, default=1, help="those that this turn did not mend")
    options.add_argument("--most", type=int, default=20, help="how many failures")
    options.add_argument("--only", nargs="*", default=list(CONTENDERS))
    given = options.parse_args()
    wrong = wrong_calls(given.calls, given.seed)
    tallies = measure(wrong, given.only)
    for name, tally in tallies.items():
        one, two, places = tally.shares()
        sys.stdout.write(
            f"{name:12} one turn {one:5.1f} %  two turns {two:5.1f} %  places {places:5.1f} %  "
            f"calls {tally.calls.total()}  cannot say {tally.unsayable}  "
            f"over {MAX_CHARS} {tally.unbounded}  quoting {tally.leaks}  "
            f"characters {tally.chars / max(tally.texts, 1):.0f}\n"
        )
    for kind in sorted(set(chain.from_iterable(tally.kinds for tally in tallies.values()))):
        shares = (
            f"{name} {_percent(tally.kinds_mended[kind], tally.kinds[kind]):5.1f} %"
            f" of {tally.kinds[kind]}"
            for name, tally in tallies.items()
        )
        sys.stdout.write(f"  {kind:40} {'   '.join(shares)}\n")
    if given.show:
        _show(tallies["toolhaft"], given)


def _show(tally: Tally, given: argparse.Namespace) -> None:
    matching = (
        row
        for row in tally.failures
        if row[3] == given.turn and given.show in ("all", *(fault.kind for fault in row[0].faults))
    )
    for wrong, first, then, _ in islice(matching, given.most):
        faults = [(fault.kind, fault.places) for fault in wrong.faults]
        sys.stdout.write(
            f"\n{wrong.right.schema}\n  right  {wrong.right.arguments}\n  sent   {wrong.sent}\n"
            f"  faults {faults}\n  text   {first}\n  then   {then}\n"
        )


if __name__ == "__main__":
    main()
