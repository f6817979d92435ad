"""The canvas on which one draws."""
