"""The installed libraries that tests need, of versions that have the tested features."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

__all__ = ["at_least", "needs", "sdk"]


def at_least(name: str, oldest: str) -> bool:
    """Whether a library is there, of this version or newer."""
    try:
        return _numbers(version(name)) >= _numbers(oldest)
    except PackageNotFoundError:
        return False


def needs(name: str, oldest: str) -> pytest.MarkDecorator:
    """Skip a test, or one case of it, where a library is older."""
    return pytest.mark.skipif(not at_least(name, oldest), reason=f"{name} has it from {oldest} on")


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


class _Sdk:
    """A module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest asks for these where it looks through a module of tests.
        if attribute.startswith("__") or attribute == "_mock_name":
            raise AttributeError(attribute)
        try:
            module = import_module(self._name)
        except ModuleNotFoundError as error:
            if not f"{self._name}.".startswith(f"{error.name}."):
                raise  # it is there, and lacks something else
            pytest.skip(f"{error.name} is not installed")
        return getattr(module, attribute)


def sdk(name: str) -> Any:
    """Return a module of an SDK; a test that uses it is skipped if the SDK is not installed.

    Most tests of a provider use plain objects of its wire, which need no SDK.
    """
    return _Sdk(name)
