"""What a window does without being seen: files and their recovery, runs in a worker and beside it, playback, settings.
`gradviz.ui.shell` imports each on first use; commands reach them through it. Start at `worker_bridge` for runs, and at
`files` for documents.
"""
