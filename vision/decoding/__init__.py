"""Square probabilities and the rules of an edition give the most likely board."""
