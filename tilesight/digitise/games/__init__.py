"""Photos to games: grouping, order, orientation."""
