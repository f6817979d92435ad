"""The random number generator: PyTorch's CPU `Generator`, which is MT19937 seeded by Knuth's recurrence, with its state
in PyTorch's bytes. It gives raw 32-bit and 64-bit numbers; `gradviz.engine.numerics.distributions` makes something of
them."""

from __future__ import annotations

import secrets
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradviz.engine.kernel.memory import device as Device

Raw = NDArray[np.uint64]

DEFAULT_SEED = 67280421310721
STATE_BYTES = 5056
_WORDS = 624
_HEAD = struct.Struct("<QiiQ")  # seed, how many are left in the block, seeded, index of the next one
_TAIL = struct.Struct("<dddi4xf?3x")  # unused, the normal number kept for later, unused, whether there is one, unused


class Generator:
    """One stream of random numbers; equal seeds give equal numbers."""

    __module__ = "torch._C"

    def __init__(self, device: str = "cpu") -> None:
        if str(device) != "cpu":
            raise RuntimeError(f"Device type {device} is not supported for torch.Generator() api.")
        self.device = Device("cpu")
        self.next_normal: float | None = None
        self._seed = DEFAULT_SEED
        self._fresh = True
        self._bits = np.random.MT19937()
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to `seed`; a negative seed counts from 2**64 down."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._fresh = True
        self.next_normal = None
        self._load(_knuth(self._seed & 0xFFFFFFFF), _WORDS)
        return self

    def _load(self, words: NDArray[np.uint32], position: int) -> None:
        self._bits.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": position}}

    def initial_seed(self) -> int:
        """The seed that the stream began with."""
        return self._seed

    def seed(self) -> int:
        """Seed from the system's entropy and return that seed."""
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def raw32(self, count: int) -> Raw:
        """The next `count` numbers of 32 bits."""
        if count:
            self._fresh = False
        return self._bits.random_raw(count)

    def raw64(self, count: int) -> Raw:
        """The next `count` numbers of 64 bits, each made of two with the high half first."""
        halves = self.raw32(2 * count)
        return (halves[0::2] << np.uint64(32)) | halves[1::2]

    get_state: Any  # the same as a tensor: `draw.py`
    set_state: Any

    def state_bytes(self) -> NDArray[np.uint8]:
        """The state in the layout of PyTorch's `torch.get_rng_state()`."""
        inner: Any = self._bits.state["state"]
        position = 0 if self._fresh else int(inner["pos"])
        left = 1 if self._fresh else _WORDS + 1 - position
        kept = self.next_normal
        head = _HEAD.pack(self._seed, left, 1, position)
        tail = _TAIL.pack(0.0, kept or 0.0, 0.0, int(kept is not None), 0.0, False)
        return np.frombuffer(head + inner["key"].astype("<u8").tobytes() + tail, np.uint8).copy()

    def load_bytes(self, state: NDArray[np.uint8]) -> None:
        """Continue from a state that `state_bytes` gave, here or in PyTorch."""
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} "
                f"but found the input RNG state size to be {state.size}"
            )
        data = state.tobytes()
        seed, left, seeded, position = _HEAD.unpack_from(data)
        if not (seeded == 1 and 0 < left <= _WORDS and position <= _WORDS):
            raise RuntimeError("Invalid mt19937 state")
        _, kept, _, is_kept, _, _ = _TAIL.unpack_from(data, _HEAD.size + 8 * _WORDS)
        self._seed = seed
        self._fresh = left == 1 and position == 0
        self.next_normal = kept if is_kept else None
        words = np.frombuffer(data, "<u8", _WORDS, _HEAD.size).astype(np.uint32)
        self._load(words, _WORDS if left == 1 else position)

    def clone_state(self) -> Generator:
        """A second generator that will give the same numbers."""
        other = Generator()
        other.load_bytes(self.state_bytes())
        return other


def _knuth(seed: int) -> NDArray[np.uint32]:
    """The 624 words that MT19937 starts from."""
    words = [seed]
    for index in range(1, _WORDS):
        last = words[-1]
        words.append((1812433253 * (last ^ (last >> 30)) + index) & 0xFFFFFFFF)
    return np.array(words, np.uint32)
