"""Positions and edge routes for any graph without cycles: give sizes and edges, get centres and Bézier routes. `flat`
draws a graph, `nested` one with groups, `records` is what goes in and comes out.
Nothing here knows Qt, traces or tensors."""
