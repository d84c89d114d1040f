"""Lowering: any schema to any model, and the arguments back in the schema's own terms."""

from __future__ import annotations

from toolhaft.lowering.dialects import TARGETS
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.linter import lint
from toolhaft.lowering.loss import Loss, LossKind, LoweringUnsupported, Problem
from toolhaft.lowering.lower import Lowered, Strict, lower
from toolhaft.lowering.plan import Declaration, Plan, Planned, plan

__all__ = [
    "TARGETS",
    "Declaration",
    "Lens",
    "Loss",
    "LossKind",
    "Lowered",
    "LoweringUnsupported",
    "Plan",
    "Planned",
    "Problem",
    "Strict",
    "lint",
    "lower",
    "plan",
]
