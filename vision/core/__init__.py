"""Values and helpers that every stage may use."""
