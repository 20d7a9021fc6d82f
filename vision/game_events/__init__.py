"""Boards and a game give what happened. Nothing here sees a pixel."""
