"""What is wrong with a run, whether it raised or not: one row per lesson (`lessons`), each found in the facts of a run
(`case`); the finders are in the other modules, by what goes wrong."""
