"""How much one run may use; the parent measures and enforces, the worker's own locks are the second fence."""

from __future__ import annotations

from dataclasses import dataclass

MEMORY_MARGIN_MB = 512  # address space beyond the resident limit: libraries, stacks, arenas


@dataclass(frozen=True)
class Limits:
    """Bounds of one run: seconds, megabytes, counts and bytes."""

    wall_seconds: float = 20.0
    cpu_seconds: float = 20.0
    memory_mb: int = 1500
    output_chars: int = 200_000
    steps: int = 1_000_000
    values_mb: int = 256  # of arrays that are kept whole; of further ones a summary is
    recorded_bytes: int = 512_000_000
    message_bytes: int = 256_000_000
    start_seconds: float = 30.0
