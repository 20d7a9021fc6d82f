"""The camera pipeline and what people run: from pictures to boards, moves and scores."""
