"""The other process: a snippet's language policy, the operating system's locks, the protocol and the client that runs
it.

Nothing here imports Qt. `process` is what the program uses, `main` is where the worker begins; read
`process/protocol.py` next.
"""
