"""What a snippet may hold: objects without a way to memory, to other objects or to code. `numpy_boundary` is the only
way to NumPy and back, `hardening` changes Python's own types in the worker before snippets arrive (`python_types`), and
`arguments` says what functions may not be called with.
"""
