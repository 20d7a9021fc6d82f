"""What people run: the command line, the live game, the web server, digitising."""
