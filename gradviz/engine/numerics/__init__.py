"""Numbers that NumPy does not give as PyTorch does, on plain arrays: the last digit of elementary functions and of
sums, special functions, factorisations of matrices, windows, and random numbers bit for bit. Nothing here knows
tensors."""
