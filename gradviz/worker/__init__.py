"""The other process: a snippet's language policy, the operating system's locks, the protocol and the client that runs
it.

Nothing here imports Qt. `client` is what the program uses; `main` is what runs inside the worker; read `protocol` next.
"""
