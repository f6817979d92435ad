"""A drawing as PyTorch code, and back. `emit` writes it from the expressions in `spelling` and keeps what was
written, `pretty` breaks its lines. `parse` is the way back: `statements` walks the syntax tree of
straight-line code, of which nothing is ever run, and what no drawing can say is refused with its line."""
