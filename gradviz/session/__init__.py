"""The present state: one frozen record, and the only place where it changes. No Qt.

Start at `state`, then `store`; `moves` computes where cursor jumps lead."""
