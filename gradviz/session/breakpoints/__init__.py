"""Where a run stops: the breakpoints (`points`), the language of their conditions (`conditions`, `condition_values`)
and the search for the steps that they hold at (`scan`)."""
