"""What leaves the program: the picture of a step, the page and the film of a whole run. `gradviz.ui.export` is where
they are asked for from the command line."""
