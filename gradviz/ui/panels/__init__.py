"""The panels around the canvas, one module each; `gradviz.commands.panels` lists them and says where they go."""
