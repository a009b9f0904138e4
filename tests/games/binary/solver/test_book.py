"""The opening book of 5x5 and 9x3."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import gridhouse
from binary_helpers import plain
from gridhouse.games.binary.game import BinaryGame
from gridhouse.games.binary.solver import book
from gridhouse.games.binary.solver.api import solve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gridhouse.core.game import State


class TestBook:
    """The openings of 5x5 and 9x3."""

    def test_without_its_file_nothing_is_known_by_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(book, "BOOK_FILE", "no such file")
        book.moves.cache_clear()
        try:
            state = BinaryGame(rows=5, cols=5).new_initial_state()
            assert (book.moves(), book.may_hold(state.position)) == ({}, False)
            assert not book.has_outcome(state.position)
            assert book.winning_move(state.position) is None
        finally:
            book.moves.cache_clear()

    @pytest.mark.parametrize(
        ("rows", "cols", "first"), [(5, 5, "2 2 0"), (3, 9, "4 1 0"), (9, 3, "1 4 0")]
    )
    def test_its_first_move_comes_first(self, rows: int, cols: int, first: str) -> None:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        asked: list[dict[str, Any]] = [{}, {"nimber": True, "all_moves": True}]
        for options in asked:
            known = solve(state, **options)
            assert (known.outcome, known.nimber, known.nodes) == ("win", 1, 0)
            assert sorted(known.moves) == sorted(state.legal_moves())
            assert known.moves[0] == first
        assert solve(state, jit=False, limit=20, proved=False).outcome == "unknown"

    @pytest.mark.untraced
    @pytest.mark.parametrize(("rows", "cols", "plies"), [(5, 5, 4), (3, 9, 6)])
    def test_it_goes_on_after_every_answer(self, rows: int, cols: int, plies: int) -> None:
        seen = set()
        todo = [BinaryGame(rows=rows, cols=cols).new_initial_state()]
        for state in todo:
            board = min(book.images(state.position))[0]
            if board in seen:
                continue
            seen.add(board)
            action = book.winning_move(state.position)
            assert action is not None
            state.apply_action(action)
            if len(state.history()) < plies:
                for answer in state.legal_actions():
                    todo.append(state.clone())
                    todo[-1].apply_action(answer)
            else:
                assert book.winning_move(state.position) is None
        assert seen == {board for board in book.moves() if len(board) == rows * cols}

    @pytest.mark.parametrize(("rows", "cols"), [(5, 5), (3, 9)])
    def test_all_images_of_a_board_have_the_same_answer(self, rows: int, cols: int) -> None:
        chance = random.Random(8)
        boards = [board for board in sorted(book.moves()) if len(board) == rows * cols]
        for board in chance.sample(boards, 20):
            state = self._state(board)
            after = state.clone()
            after.apply_action(book.winning_move(state.position))
            images = {image for image, _, _ in book.images(after.position)}
            for other, _, _ in book.images(state.position):
                turned = self._state(other)
                turned.apply_action(book.winning_move(turned.position))
                assert {image for image, _, _ in book.images(turned.position)} == images
        assert book.winning_move(BinaryGame(rows=3, cols=5).initial_position(0)) is None

    def test_who_wins_follows_from_what_moves_lead_to(self) -> None:
        chance = random.Random(11)
        boards = [(chance.randrange(4), chance.sample(range(25), 3)) for _ in range(12)]
        boards += [(3, [5 * line, 5 * line + 1, 5 * line + 4]) for line in range(3)]
        won = 0
        for count, cells in boards:
            state = BinaryGame(rows=5, cols=5).new_initial_state()
            for cell, digit in zip(cells[:count], (0, 0, 1), strict=False):
                state.apply_action(2 * cell + digit)
            lost = {action for action, after in self._after(state) if book.is_lost(after)}
            assert book.is_lost(state.position) == (not lost)
            found = book.winning_move(state.position)
            assert found in lost if lost else found is None
            if count == 3 and lost:
                won += 1
                self._every_other_has_a_lost_one_before(state)
        assert won == 2
        for board in book.LOST:
            assert book.winning_move(self._state(board).position) is None

    def _every_other_has_a_lost_one_before(self, state: State) -> None:
        """Assert of the boards of four digits that are lost that no lost board leads to them."""
        for action, after in self._after(state):
            earlier = [self._played([*state.history(), action], but) for but in range(4)]
            assert book.is_lost(after) == (not any(book.is_lost(b.position) for b in earlier))

    @staticmethod
    def _played(actions: list[int], but: int) -> Any:
        """Return the board after some actions but one."""
        state = BinaryGame(rows=5, cols=5).new_initial_state()
        for at, action in enumerate(actions):
            if at != but:
                state.apply_action(action)
        return state

    @staticmethod
    def _after(state: State) -> Iterator[tuple[int, Any]]:
        """Yield each action with the position that it leads to."""
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            yield action, after.position

    @pytest.mark.parametrize(("count", "plies"), [(25, 4), (27, 6)])
    def test_a_part_of_it_is_proved_again(self, count: int, plies: int) -> None:
        chance = random.Random(9)
        late = [board for board in sorted(book.moves()) if len(board) == count]
        late = [board for board in late if board.count(book.EMPTY) == count - plies]
        for board in chance.sample(late, 4):
            state = self._state(board)
            found = solve(state)
            assert (found.outcome, found.nodes) == ("win", 0)
            state.play(found.moves[0])
            assert plain(state, jit=True, threads=2).outcome == "loss"

    @pytest.mark.slow("searches for seconds")
    def test_who_wins_where_it_ends_is_proved_again(self) -> None:
        for board in book.LOST:
            found = plain(self._state(board), memory=300, jit=True, threads=2)
            assert found.outcome == "loss"
        for board in (*book.LOST, "....0.......1.......0...."):
            known = solve(self._state(board), nimber=True, all_moves=True)
            assert (known.outcome, known.nimber, known.moves, known.nodes) == ("loss", 0, [], 0)

    @pytest.mark.slow("searches for seconds")
    @pytest.mark.parametrize(("rows", "cols"), [(5, 5), (9, 3)])
    def test_the_perfect_player_wins_by_it(self, rows: int, cols: int) -> None:
        state = BinaryGame(rows=rows, cols=cols).new_initial_state()
        perfect = gridhouse.player("perfect", state.game)
        chance = random.Random(10)
        while not state.is_terminal():
            choice = perfect.choose(state, gridhouse.Limits(seconds=20))
            assert choice.value == 1
            state.apply_action(choice.action)
            if not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
        assert state.returns()[0] == 1

    @staticmethod
    def _state(board: str) -> Any:
        wide = 5 if len(board) == 25 else 9
        rows = [board[at : at + wide] for at in range(0, len(board), wide)]
        return gridhouse.parse(f"binary(rows={len(rows)},cols={wide}) {'/'.join(rows)}")
