"""Whole conversations with a model, through its provider's own client or a script."""
