"""The resources and prompts that stand beside the tools of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolhaft.cli.unusable import Unusable
from toolhaft.errors import DefinitionError
from toolhaft.loading.source import Source
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.serve.offers import Offers

__all__ = ["load_offers"]


def load_offers(source: Source, tools: Toolset | None = None) -> Offers:
    """Collect the resources and prompts of a module, with the callbacks of its tools.

    Raises:
        Unusable: One is defined incorrectly.
    """
    from toolhaft.serve.offers import Offers

    try:
        return Offers.of_module(source.toolset if tools is None else tools, source.module)
    except DefinitionError as error:
        raise Unusable.from_definition_error(error) from None
