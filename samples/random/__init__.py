"""Random choices: styles, boards, views, photos and films."""
