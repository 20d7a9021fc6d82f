"""A game as a value: events, the state after each of them, settlement and problems."""
