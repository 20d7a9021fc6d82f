"""Turn many photos into searchable data that people can check, on one machine or on many.

`sources` finds the pictures, `reading` reads one picture, `workers` does that in processes, `results` keeps what is
done, `games` groups photos into games, `reconstruction` finds the plays of each game, `score_sheets` adds the players,
and `report` makes the page for people. `pipeline` runs these stages.
"""
