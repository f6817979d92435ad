"""Numerics that NumPy does not provide as PyTorch does, on plain arrays: the last digit of elementary functions and of
sums, special functions, factorisations of matrices, windows, and random numbers bit for bit. Nothing here knows
tensors."""
