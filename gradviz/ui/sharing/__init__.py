"""What leaves the program: the picture of a step, and the page and film of a whole run. `export` has a row for each
kind of file, and serves the command line."""
