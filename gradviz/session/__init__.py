"""What is going on now: the state of the window as one frozen record, and the only place where it changes. No Qt.

Start at `state`, then `store`; `moves` says where a cursor jump leads."""
