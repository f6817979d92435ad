"""`torch.random`: the seed and state of the default generator."""

from __future__ import annotations

from gradviz.engine.api import FUNCTIONS as _F

manual_seed, seed, initial_seed = _F["manual_seed"], _F["seed"], _F["initial_seed"]
get_rng_state, set_rng_state = _F["get_rng_state"], _F["set_rng_state"]
