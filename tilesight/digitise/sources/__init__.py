"""Find the pictures that a run digitises."""
