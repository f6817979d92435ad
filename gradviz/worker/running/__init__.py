"""One run inside the worker, from the text of a snippet to its last batch: `runner` runs it, `channel` sends what it
prints and records, `pacing` chooses which iterations are recorded, `audit` refuses what it must not do, and `fresh`
removes what it left behind.
"""
