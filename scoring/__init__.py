"""The scoring core: tiles, boards, plays, scores, games and game files. Standard library only."""
