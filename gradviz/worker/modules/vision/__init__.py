"""`import torchvision` for a snippet: transforms, data sets that are drawn here, and the architectures of a few models.

Nothing is loaded and nothing downloaded. `datasets` draws, and offers what is drawn under the names of the sets whose
form it has, and says so; `transforms`, `functional` and `models` compute as torchvision does. Start at `names`."""
