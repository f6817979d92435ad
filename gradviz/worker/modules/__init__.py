"""What a snippet can import: stand-ins with the names that are offered, over the engine and over a folder in memory.
`stand_ins` makes all of a run and says where each is; read `standard_modules` for how the names of one are chosen, and
`scratch` for the folder.
"""
