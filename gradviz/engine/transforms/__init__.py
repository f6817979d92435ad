"""The path of operations while a function transform is open: `vmap` (`batching.py`), forward differentiation
(`forward_mode.py`), and custom functions inside transforms. `run/apply.py` enters at `layered.py`. The open transforms
are in `kernel/layers.py`; the functions that a snippet calls are in `gradviz.torch`."""
