"""Measurements by `make bench`: the engine with and without recording, against real PyTorch where there is one."""
