"""Positions and edge routes for any graph without cycles: give sizes and edges, get centres and Bézier routes. `ladder`
is the way in, `records` what goes in and comes out, `packing` stacks several graphs.
Nothing here knows Qt, traces or tensors."""
