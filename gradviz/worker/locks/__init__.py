"""What the operating system refuses a worker, whatever a snippet gets past: `oslock` on Linux, `windows`, `macos`.
`trial` tries whether it holds, `places` forgets paths that code could print, and `layers` is the table of everything
that contains a snippet.
"""
