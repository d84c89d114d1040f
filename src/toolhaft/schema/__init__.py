"""JSON Schema as data: references, normal form, bounds, verdicts and explanations."""
