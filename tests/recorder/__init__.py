"""What real PyTorch does, as its recorder sees it, beside what our engine does."""
