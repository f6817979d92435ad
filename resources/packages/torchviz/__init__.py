from .dot import make_dot, make_dot_from_trace
