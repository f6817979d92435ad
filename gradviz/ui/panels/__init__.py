"""The panels around the canvas, one module each; `rows` says which there are and where they stand."""
