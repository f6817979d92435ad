"""Where a run stops: breakpoints (`points`), the language of their conditions and the search for the steps at which
they hold (`conditions`, `condition_values`)."""
