"""JSON in and out: strict text, plain data, the canonical form, Python literals."""
