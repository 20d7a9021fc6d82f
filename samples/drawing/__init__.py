"""What a rendered picture shows: boards, tiles, letters, hands and other things."""
