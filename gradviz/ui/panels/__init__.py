"""The panels around the canvas, one module each; `gradviz.commands.panels` says which there are and where they
stand."""
