"""`torch.random`: the seed and state of the default generator."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from gradviz.engine.ops.draw import generator as default_generator
from gradviz.engine.run.api import FUNCTIONS as _F

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

manual_seed, seed, initial_seed = _F["manual_seed"], _F["seed"], _F["initial_seed"]
get_rng_state, set_rng_state = _F["get_rng_state"], _F["set_rng_state"]


@contextlib.contextmanager
def fork_rng(devices: object = None, enabled: bool = True, **options: object) -> Iterator[None]:
    """Inside, random numbers are drawn from a copy of the state, which is dropped afterwards."""
    if not enabled:
        yield
        return
    before = default_generator.state_bytes()
    try:
        yield
    finally:
        default_generator.load_bytes(before)
