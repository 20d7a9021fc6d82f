from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scoring import Board, Lexicon, load_edition
from vision.core import DoubtReason
from vision.core.boards import Occupancy, SquareProbabilities
from vision.decoding.decoder import decode
from vision.decoding.scores import score_squares
from vision.errors import SettingsError
from vision.recognition.viewpoint.orientation import vote_turn

GERMAN = load_edition("german")
VALUES = (None, *range(1, 13))
Seen = Mapping[str, float]


def reading(
    rows: list[str],
    letters: Mapping[tuple[int, int], Seen] | None = None,
    values: Mapping[tuple[int, int], Mapping[int | None, float]] | None = None,
    occupancy: Mapping[tuple[int, int], tuple[float, float, float, float]] | None = None,
    sure: float = 0.99,
) -> SquareProbabilities:
    """What a reader sees who is rather sure of these rows, except where something else is said."""
    size = (15, 15)
    tokens = GERMAN.tokens
    shares: dict[str, Any] = {
        "occupancy": np.full((*size, 4), (1 - sure) / 3, np.float32),
        "letters": np.full((*size, len(tokens)), (1 - sure) / (len(tokens) - 1), np.float32),
        "values": np.full((*size, len(VALUES)), (1 - sure) / (len(VALUES) - 1), np.float32),
        "turns": np.full((*size, 4), (1 - sure) / 3, np.float32),
    }
    shares["turns"][..., 0] = sure
    for row in range(15):
        for column in range(15):
            token = rows[row][column] if row < len(rows) and column < len(rows[row]) else "."
            kind = {".": Occupancy.EMPTY, "?": Occupancy.BLANK, "#": Occupancy.COVERED}.get(
                token, Occupancy.TILE
            )
            shares["occupancy"][row, column, kind] = sure
            if kind is Occupancy.TILE:
                shares["letters"][row, column, tokens.index(token)] = sure
                shares["values"][row, column, VALUES.index(GERMAN.values[token])] = sure
    for square, seen in (letters or {}).items():
        shares["letters"][square] = 1e-4
        for token, share in seen.items():
            shares["letters"][square][tokens.index(token)] = share
    for square, printed in (values or {}).items():
        shares["values"][square] = 1e-4
        for value, share in printed.items():
            shares["values"][square][VALUES.index(value)] = share
    for square, kinds in (occupancy or {}).items():
        shares["occupancy"][square] = kinds
    return SquareProbabilities(reader="network", tokens=tokens, value_labels=VALUES, **shares)


def board(*rows: str) -> Board:
    return Board.from_rows([(row + "." * 15)[:15] for row in (*rows, *[""] * (15 - len(rows)))])


HUT = ["", "", "", "", "", "", "", "......HUT"]


def reasons(decoded: object) -> set[DoubtReason]:
    return {doubt.reason for doubt in decoded.doubts}  # type: ignore[attr-defined]


def test_a_clear_reading_becomes_its_board_without_doubts() -> None:
    decoded = decode(reading(HUT), GERMAN)
    assert decoded.board == board(*HUT)
    assert decoded.doubts == ()
    assert decoded.confidence.shape == (15, 15)
    assert decoded.confidence.min() > 0.9


def test_blanks_and_covered_squares_have_their_tokens() -> None:
    rows = [*HUT[:7], "......H?T#"]
    assert decode(reading(rows), GERMAN).board == board(*rows)


def test_the_printed_value_decides_between_two_letters() -> None:
    # O (2) and Q (10) look alike
    torn = {(7, 7): {"O": 0.6, "Q": 0.39}}
    ten = decode(reading(HUT, letters=torn, values={(7, 7): {10: 0.9}}), GERMAN)
    two = decode(reading(HUT, letters=torn, values={(7, 7): {2: 0.9}}), GERMAN)
    assert ten.board[7, 7] == "Q"
    assert two.board[7, 7] == "O"


def test_a_missing_value_says_nothing() -> None:
    # the bag has three of O and of G
    decoded = decode(
        reading(HUT, letters={(7, 7): {"O": 0.6, "G": 0.39}}, values={(7, 7): {None: 0.99}}), GERMAN
    )
    assert decoded.board[7, 7] == "O"
    assert decoded.confidence[7, 7] == pytest.approx(0.6 / 0.99, abs=0.01)
    assert [c.token for c in decoded.alternatives[7, 7]] == ["O", "G"]
    assert DoubtReason.UNSURE in reasons(decoded)


def test_a_letter_of_which_the_bag_holds_more_is_more_probable() -> None:
    # nine N and four M
    torn = {(7, 7): {"M": 0.5, "N": 0.5}}
    decoded = decode(reading(HUT, letters=torn, values={(7, 7): {None: 0.99}}), GERMAN)
    assert decoded.board[7, 7] == "N"
    assert decoded.confidence[7, 7] == pytest.approx(9 / (9 + 4), abs=0.01)


def test_the_priors_of_the_readers_training_do_not_count() -> None:
    seen = reading(HUT, letters={(7, 7): {"M": 0.2, "N": 0.8}}, values={(7, 7): {1: 0.75, 3: 0.25}})
    trained = replace(
        seen,
        letter_factors=tuple(4.0 if token == "N" else 1.0 for token in seen.tokens),
        value_factors=tuple(3.0 if label == 1 else 1.0 for label in seen.value_labels),
    )
    scores = [score_squares(each, GERMAN) for each in (seen, trained)]
    m, n = (scores[0].tokens.index(token) for token in "MN")
    assert scores[0].weights[7, 7, n] - scores[0].weights[7, 7, m] == pytest.approx(np.log(4 * 3), abs=0.1)
    assert scores[1].weights[7, 7, n] - scores[1].weights[7, 7, m] == pytest.approx(0.0, abs=0.01)


def test_a_letter_without_a_value_is_doubted_among_tiles_that_show_theirs() -> None:
    for word, n_missing in (("...SCHUTT", 1), ("....SCHUT", 1), ("SCHUTTSCHUTT", 2)):
        columns = range(len(word) - n_missing, len(word))
        missing: dict[tuple[int, int], dict[int | None, float]] = {
            (7, each): {None: 0.6, 2: 0.4} for each in columns
        }
        decoded = decode(reading([*HUT[:7], word], values=missing), GERMAN)
        doubted = [(d.row, d.column) for d in decoded.doubts if d.reason is DoubtReason.NO_VALUE]
        assert doubted == list(missing)


@pytest.mark.parametrize(("usual", "is_doubted"), [(0.004, True), (0.02, False)])
def test_a_value_that_is_as_unclear_as_the_others_is_not_doubted(usual: float, *, is_doubted: bool) -> None:
    values = {(7, column): {None: usual, 1: 1 - usual} for column in range(3, 9)}
    values[7, 5] = {None: 0.06, 2: 0.94}
    decoded = decode(reading([*HUT[:7], "...SCHUTT"], values=values), GERMAN)
    assert (
        (7, 5, DoubtReason.NO_VALUE) in [(d.row, d.column, d.reason) for d in decoded.doubts]
    ) == is_doubted


def test_where_no_tile_shows_its_value_none_is_doubted_for_that() -> None:
    rows = [*HUT[:7], "...SCHUTT"]
    unprinted: dict[tuple[int, int], dict[int | None, float]] = {
        (7, column): {None: 0.99} for column in range(3, 9)
    }
    (doubt,) = decode(reading(rows, values=unprinted), GERMAN).doubts
    # The second letter is read with a little less than 0.98.
    assert (doubt.row, doubt.column, doubt.reason) == (7, 4, DoubtReason.UNSURE)


def test_a_clear_letter_wins_against_a_wrong_value_and_is_doubted() -> None:
    decoded = decode(reading(HUT, letters={(7, 7): {"U": 0.999}}, values={(7, 7): {8: 0.99}}), GERMAN)
    assert decoded.board[7, 7] == "U"
    assert [(d.row, d.column, d.reason) for d in decoded.doubts] == [(7, 7, DoubtReason.VALUE)]


def test_a_letter_that_the_edition_lacks_is_doubted() -> None:
    english = load_edition("english")
    decoded = decode(reading([*HUT[:7], "......HÜT"]), english)
    assert (7, 7, DoubtReason.ALPHABET) in [(d.row, d.column, d.reason) for d in decoded.doubts]


def test_an_edition_with_letters_that_the_reader_does_not_know_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"polish.*does not know.*Ł.*tesseract"):
        decode(reading(HUT), load_edition("polish"))


def test_a_value_beyond_the_readers_is_no_evidence_against_its_letter() -> None:
    dear = replace(GERMAN, values={**GERMAN.values, "U": 25})
    decoded = decode(reading(HUT, letters={(7, 7): {"U": 0.6, "O": 0.2}}, values={(7, 7): {7: 0.9}}), dear)
    assert decoded.board[7, 7] == "U"


class TestBoardBefore:
    def test_a_vague_change_is_not_believed(self) -> None:
        vague = reading(HUT, letters={(7, 7): {"O": 0.8, "U": 0.2}}, values={(7, 7): {None: 1.0}})
        assert decode(vague, GERMAN).board[7, 7] == "O"
        assert decode(vague, GERMAN, prior_board=board(*HUT)).board[7, 7] == "U"

    def test_a_clear_change_wins(self) -> None:
        clear = reading([*HUT[:7], "......HOT"], sure=0.995)
        assert decode(clear, GERMAN, prior_board=board(*HUT)).board[7, 7] == "O"

    def test_a_removed_tile_is_seen_as_removed(self) -> None:
        assert decode(reading([]), GERMAN, prior_board=board(*HUT)).board == board()

    def test_a_new_tile_is_not_hindered(self) -> None:
        more = [*HUT[:7], "......HUTE"]
        assert decode(reading(more), GERMAN, prior_board=board(*HUT)).board == board(*more)

    def test_a_blank_keeps_the_letter_that_it_was_given(self) -> None:
        seen = reading([*HUT[:7], "......H?T"])
        assert decode(seen, GERMAN, prior_board=board(*HUT[:7], "......HuT")).board[7, 7] == "u"
        assert decode(seen, GERMAN, prior_board=board(*HUT[:7], "......H?T")).board[7, 7] == "?"

    def test_a_covered_square_stays_covered_for_later_stages_to_settle(self) -> None:
        assert decode(reading([*HUT[:7], "......H#T"]), GERMAN, prior_board=board(*HUT)).board[7, 7] == "#"

    def test_another_size_is_refused(self) -> None:
        with pytest.raises(SettingsError, match="16x16 squares, the picture 15x15"):
            decode(reading(HUT), GERMAN, prior_board=Board.from_rows(["." * 16] * 16))


class TestStart:
    @pytest.mark.parametrize(("sure", "expected"), [(0.7, "."), (0.95, "?")])
    def test_the_star_of_the_start_is_likelier_than_a_joker_there(self, sure: float, expected: str) -> None:
        seen = reading(["."], occupancy={(7, 7): (1 - sure, 0.0, sure, 0.0)})
        assert decode(seen, GERMAN).board[7, 7] == expected

    @pytest.mark.parametrize(("sure", "expected"), [(0.9, "."), (0.99, "U")])
    def test_a_tile_that_does_not_touch_the_start_is_less_likely_even_alone(
        self, sure: float, expected: str
    ) -> None:
        seen = reading(["", "", "..U"], occupancy={(2, 2): (1 - sure, sure, 0.0, 0.0)})
        assert decode(seen, GERMAN).board[2, 2] == expected

    @pytest.mark.parametrize(("others", "expected"), [(2, "."), (3, "U")])
    def test_where_many_clear_tiles_lie_loosely_each_is_as_likely_as_any(
        self, others: int, expected: str
    ) -> None:
        rows = ["E" if row % 2 == 0 and row // 2 < others else "." for row in range(15)]
        rows[4] += "....U"
        seen = reading(rows, occupancy={(4, 5): (0.1, 0.9, 0.0, 0.0)}, sure=0.999)
        assert decode(seen, GERMAN).board[4, 5] == expected

    @pytest.mark.parametrize(("sure", "expected"), [(0.4, "?"), (0.02, ".")])
    @pytest.mark.parametrize("link", [(7, 7), (7, 8)])
    def test_a_doubtful_blank_is_believed_where_it_connects_clear_tiles_with_the_start(
        self, link: tuple[int, int], sure: float, expected: str
    ) -> None:
        rows = [*HUT[:7], "......H.T" if link == (7, 7) else "......HU.T"]
        seen = reading(rows, occupancy={link: (1 - sure, 0.0, sure, 0.0)}, sure=0.9999)
        assert decode(seen, GERMAN).board[link] == expected

    @pytest.mark.parametrize(
        ("row", "doubted"),
        [("........HUT", [(7, 7)]), ("......HUT", []), (".......#HUT", []), ("...............", [])],
    )
    def test_an_empty_start_on_the_board_of_a_game_is_doubted(
        self, row: str, doubted: list[tuple[int, int]]
    ) -> None:
        decoded = decode(reading([*HUT[:7], row], sure=0.9999), GERMAN)
        assert [(d.row, d.column) for d in decoded.doubts if d.reason is DoubtReason.START] == doubted


class TestBag:
    def test_the_weakest_tile_beyond_the_bag_becomes_another_letter(self) -> None:
        # the German bag holds one Q
        rows = [*HUT[:6], "......Q", "......QUT"]
        seen = reading(rows, letters={(6, 6): {"Q": 0.7, "O": 0.3}}, values={(6, 6): {None: 1.0}})
        decoded = decode(seen, GERMAN)
        assert decoded.board[6, 6] == "O"
        assert decoded.board[7, 6] == "Q"

    def test_two_clear_tiles_of_one_stay_and_are_doubted(self) -> None:
        rows = [*HUT[:6], "......Q", "......QUT"]
        decoded = decode(reading(rows, sure=0.9999), GERMAN)
        assert decoded.board == board(*rows)
        assert sum(doubt.reason is DoubtReason.BAG for doubt in decoded.doubts) == 1

    def test_a_blank_beyond_the_bag_does_not_give_way(self) -> None:
        seen = reading([*HUT[:7], "......H?T????"], occupancy={(7, 12): (0.3, 0.0, 0.7, 0.0)}, sure=0.999)
        assert decode(seen, GERMAN).board == board(*HUT[:7], "......H?T????")

    def test_letters_beyond_the_bag_that_become_blanks_remove_no_blank(self) -> None:
        # the German bag holds one Q and one Y
        rows = [*HUT[:6], "......QY", "......QYT", ".......?T?"]
        torn = {(6, 6): (0.0, 0.9, 0.1, 0.0), (6, 7): (0.0, 0.9, 0.1, 0.0), (8, 9): (0.3, 0.0, 0.7, 0.0)}
        assert decode(reading(rows, occupancy=torn), GERMAN).board[8, 9] == "?"

    def test_clear_blanks_beyond_the_bag_stand_for_lost_tiles_and_are_doubted(self) -> None:
        seen = reading([*HUT[:7], "......H?T??"], occupancy={(7, 10): (0.0, 0.05, 0.95, 0.0)})
        decoded = decode(seen, GERMAN)
        assert decoded.board == board(*HUT[:7], "......H?T??")
        assert sum(doubt.reason is DoubtReason.BAG for doubt in decoded.doubts) == 1

    def test_letters_pushed_out_do_not_overfill_their_next_letter(self) -> None:
        # one J, one Q, one V in the bag: the third J must pass over them
        rows = [*HUT[:5], "......J", "......JV", "......QUT"]
        seen = reading(rows, letters={(5, 6): {"J": 0.6, "V": 0.25, "I": 0.15}}, values={(5, 6): {None: 1.0}})
        decoded = decode(seen, GERMAN)
        assert decoded.board[5, 6] == "I"

    def test_a_tile_beyond_the_bag_never_becomes_an_empty_square(self) -> None:
        rows = [*HUT[:5], "......Q", "......Q", "......QUT"]
        assert decode(reading(rows, sure=0.998), GERMAN).board[5, 6] != "."

    def test_a_marked_tile_beyond_the_bag_becomes_a_blank(self) -> None:
        rows = [*HUT[:6], "......Q", "......QUT"]
        seen = reading(
            rows, sure=0.9999, occupancy={(6, 6): (0.0, 0.8, 0.2, 0.0)}, values={(6, 6): {None: 0.97}}
        )
        assert decode(seen, GERMAN).board == board(*HUT[:6], "......?", "......QUT")

    def test_unknown_counts_limit_nothing(self) -> None:
        free = replace(GERMAN, counts=dict.fromkeys(GERMAN.counts))
        rows = [*HUT[:6], "......Q", "......QUT"]
        assert decode(reading(rows), free).doubts == ()

    def test_more_tiles_than_the_bag_holds_came_from_elsewhere(self) -> None:
        rows = ["QUT" * 5] * 8
        seen = reading(rows, sure=0.96, occupancy={(3, 3): (0.0, 0.7, 0.3, 0.0)})
        assert decode(seen, GERMAN).board == board(*rows)


class TestMarkedBlanks:
    rows = (*HUT[:5], "HUTHUTHUTHUTHUT", "HUTHUTHUTHUTHUT", "HUTHUTHUTHUTHUT")
    thin = (0.0, 0.8, 0.2, 0.0)  # rather a thin letter in print than one by hand
    by_hand = (0.0, 0.02, 0.98, 0.0)

    def blanks(self, clear: int) -> int:
        """Blanks that are read on 45 tiles: so many of the first row clearly written on, ten others hardly."""
        occupancy = {(5, column): self.by_hand for column in range(clear)}
        occupancy |= {(6, column): self.thin for column in range(10)}
        free = replace(GERMAN, counts=dict.fromkeys(GERMAN.counts))
        values: dict[tuple[int, int], dict[int | None, float]] = {
            (5, column): {None: 0.97} for column in range(clear)
        }
        decoded = decode(reading(list(self.rows), occupancy=occupancy, values=values), free)
        return sum(tile.token == "?" for tile in decoded.board.tiles())

    def test_where_some_are_blanks_for_sure_more_are(self) -> None:
        assert self.blanks(clear=14) == 24

    def test_on_a_usual_board_they_stay_letters(self) -> None:
        assert self.blanks(clear=2) == 2


class TestFloating:
    def test_a_vague_lone_tile_is_dropped(self) -> None:
        rows = ["I", *HUT[1:]]
        seen = reading(rows, occupancy={(0, 0): (0.2, 0.8, 0.0, 0.0)})
        assert decode(seen, GERMAN).board == board(*HUT)

    def test_a_clear_lone_tile_stays_and_is_doubted(self) -> None:
        rows = ["I", *HUT[1:]]
        decoded = decode(reading(rows, sure=0.9999), GERMAN)
        assert decoded.board == board(*rows)
        assert [(d.row, d.column, d.reason) for d in decoded.doubts] == [(0, 0, DoubtReason.FLOATING)]

    def test_empty_squares_between_two_groups_are_doubted(self) -> None:
        rows = [*HUT[:7], "......HUTT", "", "........ES"]
        decoded = decode(reading(rows, sure=0.9999), GERMAN)
        assert decoded.board == board(*rows)
        gaps = [(d.row, d.column) for d in decoded.doubts if d.reason is DoubtReason.GAP]
        assert gaps == [(8, 8), (8, 9)]

    def test_a_board_of_many_groups_is_no_game_and_has_neither_loose_tiles_nor_gaps(self) -> None:
        rows = [*HUT[:7], "......HUT", "", "......UHU", "", "......HUH", "......U.U"]
        decoded = decode(reading(rows, sure=0.9999), replace(GERMAN, counts=dict.fromkeys(GERMAN.counts)))
        assert decoded.board == board(*rows)
        assert not reasons(decoded) & {DoubtReason.FLOATING, DoubtReason.GAP, DoubtReason.START}

    def test_covered_squares_join(self) -> None:
        rows = [*HUT[:7], "......HUT#E"]
        decoded = decode(reading(rows), GERMAN)
        assert decoded.board == board(*rows)
        assert DoubtReason.FLOATING not in reasons(decoded)

    def test_a_hand_off_the_board_s_tiles_is_neither_a_loose_tile_nor_the_main_group(self) -> None:
        hand = ["...........####"] * 3
        for rows in ([*hand, *HUT[3:]], [*hand, "", "", "HUT"], [*HUT[:7], "......HUT.#"]):
            decoded = decode(reading(rows, sure=0.9999), GERMAN)
            assert decoded.board == board(*rows)
            assert not reasons(decoded) & {DoubtReason.FLOATING, DoubtReason.GAP}

    def test_a_square_that_is_covered_alone_is_rather_empty_and_a_hand_is_not(self) -> None:
        rows = ["..............#", *HUT[1:]]
        alone = decode(reading(rows, occupancy={(0, 14): (0.07, 0.0, 0.0, 0.93)}), GERMAN)
        assert alone.board == board(*HUT)
        hand = ["..........#####"] * 3 + HUT[3:]
        seen = {(row, column): (0.07, 0.0, 0.0, 0.93) for row in range(3) for column in range(10, 15)}
        assert decode(reading(hand, occupancy=seen), GERMAN).board == board(*hand)

    def test_without_a_tile_on_the_start_the_best_group_is_the_main_one(self) -> None:
        rows = ["HUT", "", "", "", "", "", "", "", "", "", "", "", "..........I"]
        decoded = decode(reading(rows, occupancy={(12, 10): (0.3, 0.7, 0.0, 0.0)}), GERMAN)
        assert decoded.board == board("HUT")


class TestLexicon:
    torn: Mapping[tuple[int, int], Seen] = {(7, 7): {"G": 0.5, "O": 0.45}}

    def test_a_known_word_decides_what_the_picture_leaves_open(self) -> None:
        seen = reading(HUT, letters=self.torn, values={(7, 7): {None: 1.0}})
        assert decode(seen, GERMAN).board[7, 7] == "G"
        assert decode(seen, GERMAN, lexicon=Lexicon.of(["hot"])).board[7, 7] == "O"

    def test_it_never_outvotes_a_clear_picture(self) -> None:
        decoded = decode(reading(HUT, sure=0.999), GERMAN, lexicon=Lexicon.of(["hot"]))
        assert decoded.board == board(*HUT)

    def test_squares_in_doubt_next_to_blanks_are_left_alone(self) -> None:
        seen = reading([*HUT[:7], "......?UT"], letters=self.torn, values={(7, 7): {None: 1.0}})
        assert decode(seen, GERMAN, lexicon=Lexicon.of(["hot"])).board[7, 7] == "G"

    def test_a_doubtful_empty_square_is_left_alone(self) -> None:
        seen = reading(HUT, occupancy={(0, 0): (0.9, 0.05, 0.05, 0.0)})
        assert decode(seen, GERMAN, lexicon=Lexicon.of(["hut"])).board == board(*HUT)


class TestTurn:
    def test_upright_letters_need_no_turn(self) -> None:
        vote = vote_turn(reading(HUT))
        assert vote.quarter_turns == 0
        assert vote.confidence == pytest.approx(1.0, abs=1e-3)

    @pytest.mark.parametrize("turn", [1, 2, 3])
    def test_turned_letters_say_by_how_much(self, turn: int) -> None:
        seen = reading(HUT)
        assert vote_turn(replace(seen, turns=np.roll(seen.turns, turn, axis=-1)))[0] == turn

    def test_one_wrongly_laid_tile_is_outvoted(self) -> None:
        seen = reading(HUT)
        turns = seen.turns.copy()
        turns[7, 7] = (0, 0, 1, 0)
        turn, confidence = vote_turn(replace(seen, turns=turns))
        assert turn == 0
        assert confidence > 0.9

    def test_an_empty_board_says_nothing(self) -> None:
        empty = reading([], occupancy={(r, c): (1.0, 0.0, 0.0, 0.0) for r in range(15) for c in range(15)})
        vote = vote_turn(empty, min_letters=0)
        assert vote.quarter_turns == 0
        assert vote.confidence == pytest.approx(0.25)

    def test_empty_squares_that_look_a_little_like_turned_tiles_say_nothing(self) -> None:
        squares = [(r, c) for r in range(15) for c in range(15)]
        seen = reading([], occupancy=dict.fromkeys(squares, (0.6, 0.4, 0.0, 0.0)))
        seen = replace(seen, turns=np.roll(seen.turns, 3, axis=-1))
        vote = vote_turn(seen, min_letters=0)
        assert vote.quarter_turns == 0
        assert vote.confidence == pytest.approx(0.25)


def test_all_squares_stay_probabilities() -> None:
    decoded = decode(reading(HUT, letters={(7, 7): {"U": 0.4, "O": 0.35, "Q": 0.2}}), GERMAN)
    assert np.all((decoded.confidence > 0) & (decoded.confidence <= 1))
    for candidates in decoded.alternatives.values():
        assert sum(candidate.probability for candidate in candidates) <= 1 + 1e-9
        shares = [candidate.probability for candidate in candidates]
        assert shares == sorted(shares, reverse=True)


def test_readings_of_another_size_are_refused_where_they_are_made() -> None:
    with pytest.raises(ValueError, match="letters: expected shape"):
        replace(reading(HUT), letters=np.zeros((15, 15, 3), np.float32))
