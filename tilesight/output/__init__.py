"""What is shown and written: events, annotated video, the terminal."""
