"""The program's side of a worker: start one ahead and run a snippet in it (`client`), what a run is (`run`), the
process (`worker_process`, `starting`, `forkserver`), and what both sides know (`protocol`, `limits`). Knows nothing of
Qt."""
