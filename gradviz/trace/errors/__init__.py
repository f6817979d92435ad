"""Explained errors: one row per message that learners meet. `explanation` is the form of a row and what it says; the
rows are in `graph`, `shapes` and `usage`; `lookup` finds the one that fits."""
