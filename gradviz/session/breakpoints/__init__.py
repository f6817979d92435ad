"""Where a run stops: breakpoints (`points`), the language of their conditions (`conditions`, `condition_values`), and
the search for the steps at which they hold (`scan`)."""
