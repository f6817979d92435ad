"""Documents as files: `.gradviz` files, recordings, others by their name, the examples, the copies for recovery, and
which files are the user's own."""
