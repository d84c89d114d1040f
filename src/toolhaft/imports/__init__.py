"""Other people's declarations, taken in as tools."""
