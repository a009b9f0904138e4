"""Which differences of two outputs count under which profile."""

from __future__ import annotations

import pytest

from gridhouse.grading.compare import Profile, first_difference, lines_of
from gridhouse.grading.games import grading_of
from gridhouse.grading.text import first_columns

BINARY, TACTEGO, SINKS = map(grading_of, ("binary", "tactego", "sinks"))


@pytest.mark.parametrize(
    ("expected", "actual", "passes"),
    [
        ("a b\n", "a b\n", set(Profile)),
        ("a b\n", "a b", {Profile.TRAILING, Profile.COURSE, Profile.TOKENS, Profile.CASELESS}),
        ("a b\n", "a b  \n", {Profile.TRAILING, Profile.COURSE, Profile.TOKENS, Profile.CASELESS}),
        (
            "a b\n",
            "a b\n\n\n",
            {Profile.TRAILING, Profile.COURSE, Profile.TOKENS, Profile.CASELESS},
        ),
        ("a b\n", "\na b\n", {Profile.COURSE, Profile.TOKENS, Profile.CASELESS}),
        ("a b\n", "a  b\n", {Profile.TOKENS, Profile.CASELESS}),
        ("a b\n", "A b\n", {Profile.CASELESS}),
        ("a b\n", "ab\n", set()),
        ("a\nb\n", "a\n", set()),
        ("a\n", "a\nb\n", set()),
    ],
)
def test_what_each_profile_passes_over(expected: str, actual: str, passes: set[Profile]) -> None:
    found = {
        profile
        for profile in Profile
        if first_difference(*(lines_of(text, profile, BINARY) for text in (expected, actual)))
        is None
    }
    assert found == passes


def test_the_first_difference_is_the_line_as_it_was_printed() -> None:
    pair = (lines_of(text, Profile.COURSE, BINARY) for text in ("a\n\nb c\n", "a\nb  d \n"))
    difference = first_difference(*pair)
    assert difference is not None
    assert difference.expected is not None
    assert difference.actual is not None
    assert (difference.expected.text, difference.expected.offset) == ("b c", 3)
    assert difference.actual.text == "b  d "


BOARD = "  0    1    2\n0 R5        RF\n1\n2      BF   B5\n"


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("     0      1      2\n0    R5            RF\n1\n2           BF     B5\n", True),
        ("   0   1   2\n0  R5      RF\n1  \n2      BF  B5\n", True),
        ("\t0\t1\t2\n0\tR5\t\tRF\n1\n2\t\tBF\tB5\n", True),
        ("  0 1 2\n0 R5 . RF\n1 . . .\n2 . BF B5\n", True),
        ("  0    1    2\n0 R5        RF\n1      BF\n2           B5\n", False),
        ("  0    1    2\n0 R5        RF\n1\n2      B5   BF\n", False),
    ],
)
def test_tactego_compares_the_pieces_of_each_row_and_no_layout(text: str, is_same: bool) -> None:
    keys = (
        [line.key for line in lines_of(board, Profile.COURSE, TACTEGO)] for board in (BOARD, text)
    )
    one, other = keys
    assert (one == other) is is_same


def test_the_pieces_of_a_full_row_of_tactego_are_in_their_order() -> None:
    boards = ("   0       1    2\n0  R100    RF   R5\n", "  0    1    2\n0   R100   RF   R5\n")
    one, other = ([line.key for line in lines_of(text, Profile.COURSE, TACTEGO)] for text in boards)
    assert one == other


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("Select Piece to Move by Position >> ", "Select Position to move Piece >> "),
        ("Red, select a token to move (row col) >> ", "Red, select a tile to move to >> "),
        ("Enter starting position (row col): ", "Enter ending position (row col): "),
        ("Enter the position of the piece to move: ", "Where to? "),
        ("Which cell do you want to move from? ", "Enter the destination: "),
    ],
)
def test_tactego_knows_starts_and_ends_in_other_words(start: str, end: str) -> None:
    keys = [line.key for line in lines_of(start + end, Profile.COURSE, TACTEGO)]
    assert keys == ["<start>", "<end>"]


@pytest.mark.parametrize(
    ("expected", "actual", "columns"),
    [
        ("0·R4···RF", "0→RF→R4", (3, 3)),
        ("=·illegal", "·=···illicit", (5, 8)),
        ("Game·over", "Game·over.", (9, 9)),
        ("score·is:·9", "score·is·:·9", (8, 8)),
        ("1", "(nothing more)", None),
    ],
)
def test_the_pointer_passes_over_blanks_where_more_differs(
    expected: str, actual: str, columns: tuple[int, int] | None
) -> None:
    assert first_columns(expected, actual) == columns


def test_tactego_passes_over_the_words_of_prompts_and_wrapped_messages() -> None:
    exact = (
        "What is seed? What is the filename for the pieces? What is the length? What is the width? "
        "Select Piece to Move by Position >> "
        "You must select a starting position with one of your pieces, not a flag.\n"
    )
    loose = (
        "What is the seed? What is the file name? What is the length?What is the width? "
        "select piece to move by position: "
        "You must select a starting position with one of your pieces,\nnot a flag.\n"
    )
    one, other = (lines_of(text, Profile.COURSE, TACTEGO) for text in (exact, loose))
    assert [line.key for line in one] == [line.key for line in other]
    assert [line.key for line in one][:2] == ["<seed>", "<file>"]


def test_a_prompt_ends_a_line_since_what_is_typed_is_not_printed() -> None:
    text = "Please enter a row and a column number: \n1\n"
    keys = [line.key for line in lines_of(text, Profile.TRAILING, grading_of("collapse"))]
    assert keys == ["<cell>", "", "1"]
