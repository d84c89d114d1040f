"""One tool: how it is defined, assembled and derived from another."""
