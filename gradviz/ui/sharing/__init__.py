"""What leaves the program: the picture of a step, and the page and film of a whole run. `gradviz.ui.export` serves the
command line."""
