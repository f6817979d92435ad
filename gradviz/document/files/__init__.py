"""Documents as files: the `.gradviz` format, other files by their name, the examples, the copies for recovery, and
which files are the user's own."""
