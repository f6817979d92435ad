"""A drawing as PyTorch code, and back. `emit` writes it from the expressions in `spelling`, `pretty` breaks its lines,
and `source` keeps what was written. `parse` is the way back: `statements` and `expressions` walk the syntax tree of
straight-line code, of which nothing is ever run, and what no drawing can say is refused with its line."""
