"""Lowering: any schema to any model, and the arguments back in the schema's own terms."""

from __future__ import annotations

from toolhaft.lowering.dialects import TARGETS
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.linter import lint
from toolhaft.lowering.loss import Loss, LossKind, LoweringUnsupported, Problem
from toolhaft.lowering.lower import Lowered, Strict, lower

__all__ = [
    "TARGETS",
    "Lens",
    "Loss",
    "LossKind",
    "Lowered",
    "LoweringUnsupported",
    "Problem",
    "Strict",
    "lint",
    "lower",
]
