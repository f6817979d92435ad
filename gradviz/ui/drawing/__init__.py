"""A drawing on the canvas: `geometry` says where its nodes, ports and wires are, `view` is the widget, `painting`
paints what the ordinary canvas does not know (ports, comments, groups, nodes that have not run), and `interactions`
handles mouse and keys."""
