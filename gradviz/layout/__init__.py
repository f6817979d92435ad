"""Positions and edge routes for any graph without cycles: give sizes and edges, get centres and Bézier routes. `flat`
lays out a graph, `nested` one with groups, `records` has the input and output types. Nothing here knows Qt, traces or
tensors."""
