"""The longer way of operations while a function transform is open: `vmap` (`batching.py`), forward differentiation
(`forward_mode.py`), and custom functions inside of them. `layered.py` is where `run/apply.py` comes to. Which
transforms are open is in `kernel/layers.py`; what a snippet calls is in `gradviz.torch`."""
