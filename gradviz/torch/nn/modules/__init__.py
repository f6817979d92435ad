"""The layers of `torch.nn`, one file for each kind, as in PyTorch's package of the same name."""
