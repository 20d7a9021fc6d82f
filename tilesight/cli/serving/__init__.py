"""What `tilesight serve` needs: where it listens, and the games that it serves."""
