"""Adapters that other packages bring, by the entry-point group `toolhaft.vendors`.

They are looked for where no adapter of our own owns a type, and only then: a program that needs
none never reads the metadata of what is installed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from toolhaft.vendors import native
from toolhaft.vendors.adapter import Adapter, NoVendor

__all__ = ["GROUP", "Plugin", "find_owner", "register"]

GROUP: Final = "toolhaft.vendors"
_FIX: Final = "fix the package that provides it, or uninstall it"


class Plugin(NamedTuple):
    """One adapter of another package: a module or an object with `NAME`, `owns`, `adapter`."""

    NAME: str
    place: str
    loaded: Any

    def owns(self, tp: object) -> bool:
        """Return whether it owns a type.

        Raises:
            NoVendor: Its `owns` raises.
        """
        try:
            return bool(self.loaded.owns(tp))
        except Exception as error:
            raise self.to_no_vendor(f"owns raised {type(error).__name__}") from error

    def adapter(self, tp: object) -> Adapter[Any]:
        """Return its adapter of a type: any schema of the protocol.

        Raises:
            NoVendor: It makes none.
        """
        try:
            schema = self.loaded.adapter(tp)
        except NoVendor:
            raise
        except Exception as error:
            raise self.to_no_vendor(f"adapter raised {type(error).__name__}") from error
        if not native.owns(schema):
            raise self.to_no_vendor(f"adapter gave {type(schema).__name__}, which is no schema")
        return native.adapter(schema)

    def to_no_vendor(self, reason: str) -> NoVendor:
        return NoVendor(f"the adapter {self.NAME} ({self.place}): {reason}", _FIX)


def find_owner(tp: object) -> Plugin | None:
    """Return the installed adapter that a type belongs to, or None.

    Raises:
        NoVendor: None owns it, and one of them is broken: it may be the one.
    """
    faults: list[NoVendor] = []
    for registered in _registered:
        if registered.owns(tp):
            return registered
    for entry in _entries():
        try:
            plugin = _load_plugin(entry)
            if plugin.owns(tp):
                return plugin
        except NoVendor as fault:
            faults.append(fault)
    if faults:
        raise faults[0]
    return None


@lru_cache(maxsize=1)
def _entries() -> tuple[Any, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)))


@lru_cache(maxsize=64)
def _load_plugin(entry: Any) -> Plugin:
    try:
        plugin = Plugin(entry.name, entry.value, entry.load())
    except Exception as error:
        unloaded = Plugin(entry.name, entry.value, None)
        raise unloaded.to_no_vendor(f"loading it raised {type(error).__name__}") from error
    return _checked_plugin(plugin)


def _checked_plugin(plugin: Plugin) -> Plugin:
    missing_names = [
        name for name in ("NAME", "owns", "adapter") if not hasattr(plugin.loaded, name)
    ]
    if missing_names:
        raise plugin.to_no_vendor(f"it has no {', '.join(missing_names)}")
    return plugin._replace(NAME=str(plugin.loaded.NAME))


_registered: list[Plugin] = []


def register(adapter: Any) -> None:
    """Have this process ask an adapter too, before the installed ones, as an entry point would.

    `adapter` is a module or an object with `NAME`, `owns` and `adapter`. One of a name that is
    there already takes its place.

    Raises:
        NoVendor: It lacks one of the three.
    """
    name = str(getattr(adapter, "NAME", type(adapter).__name__))
    plugin = _checked_plugin(Plugin(name, "register()", adapter))
    _registered[:] = [plugin, *(other for other in _registered if plugin.NAME != other.NAME)]
