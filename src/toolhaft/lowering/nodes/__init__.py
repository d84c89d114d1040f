"""How each kind of schema node is lowered: one file for each family."""
