"""Read one picture; all of it runs in a worker."""
