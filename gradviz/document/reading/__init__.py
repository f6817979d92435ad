"""Reading straight-line PyTorch code into the nodes of a drawing. Nothing is run: the code's syntax tree is walked, and
what no drawing can say is refused with its line. Start at `statements`; `parse` is the way in from outside."""
