"""Many photos to searchable, checkable data: the photos of a shoebox, on one machine or on many.

The order of work: `sources` finds the pictures, `reading` turns each into a result, `pool` does that in
processes, `store` keeps what is done, `games` joins photos to games, and `assembly` writes the folder.
"""
