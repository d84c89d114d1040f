"""What a definition is written with: markers, options, signatures, docstrings and names."""
