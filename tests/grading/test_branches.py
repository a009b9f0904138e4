"""The generated sessions meet every branch of rules and programs, but for those named here."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from harness import run_compiled

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = "the program does not call it; the engine, its players and learners do"
OVER = "the program asks for no move once a game is over"
ERRORS = "the document does not say what a program does with wrong arguments or files"
VARIANT = "it belongs to a variant that the document does not have"
STARTER = "the document does not describe this command; the course's starter code has it"
LATER = "the part search has of later assignments only what can be judged"
ASSUMED = "the document lets a program assume that this does not happen"
SILENT = "the document does not say what happens then"
WORDS = "the option --words is none of the document's"
WINDOW = "windows are not graded"
NAMED = "the program has found the piece of the field before"
TIME = "it depends on the time that a search takes"

# The functions that are not called, and the lines from which a way is not taken, by reasons.
UNMET = {
    "binary": {
        ENGINE: [
            "rules.key",
            "rules.current_player",
            "rules.returns",
            "rules.observation_planes",
        ],
        ERRORS: ["program.main: if arguments:"],
        STARTER: ["program.show_help", "program.leave", "program.main: while session.is_open:"],
        LATER: [
            "program.policy",
            "program.genmove: if session.is_strong:",
            "program.timelimit: if seconds is None or not 1 <= seconds <= MAX_SECONDS:",
            "program.loadpatterns",
            "program.policy_moves",
            "program.main_strong",
        ],
        TIME: ["program.solve: elif found.moves:"],
    },
    "collapse": {
        ENGINE: [
            "rules.legal_actions",
            "rules.key",
            "rules.current_player",
            "rules.returns",
            "rules.randomize_start",
            "rules.observation_planes",
        ],
        ERRORS: [
            "program.main: if len(arguments) != 1:",
            "program.main: except PositionError as error:",
        ],
        VARIANT: ["rules.apply_action: if state.scoring != Scoring.LINEAR:", "rules.penalty"],
    },
    "sinks": {
        ENGINE: [
            "rules.list_actions_at",
            "rules.legal_actions",
            "rules.sample_candidate",
            "rules.key",
            "rules.current_player",
            "rules.returns",
            "rules.redact",
            "rules.num_bombs",
            "rules.believed_bombs",
            "rules.is_bare",
            "rules.has_hidden_information",
            "rules.resample",
            "rules.observation_planes",
        ],
        OVER: ["rules.refusal: if state.over:"],
        VARIANT: [
            "rules.apply_move: if state.limit > 0:",
            "rules.note_end: elif state.limit > 0 and state.quiet >= state.limit:",
        ],
        # A wrong verb on an empty field: two errors, of which the document gives no order.
        SILENT: [
            "document.parse_action: "
            "if rules.move_refusal(position, anchor, rules.LEFT) == Refusal.NO_PIECE:"
        ],
        NAMED: ["rules.verb_refusal: if named(state, cell) != cell:"],
        WINDOW: ["program.main: if gui:", "program.piped_setup", "program.open_window"],
    },
    "sliding": {
        ENGINE: [
            "rules.legal_actions",
            "rules.key",
            "rules.current_player",
            "rules.returns",
            "rules.swap",
            "rules.shuffle",
            "rules.randomize_start",
            "rules.observation_planes",
        ],
        OVER: ["rules.refusal: if state.misplaced == 0:"],
        ERRORS: [
            "program.play: if not any(words_of(text, size) "
            "for size in range(rules.MIN_SIDE, rules.MAX_SIDE + 1)):"
        ],
        # A difficulty from two to fourteen, and one of four directions.
        ASSUMED: [
            "program.ask_size: if size is not None "
            "and rules.MIN_SIDE <= size <= rules.MAX_SIDE and words_of(text, size):",
            "program.move: if direction not in DIRECTIONS:",
        ],
        WORDS: ["program.main"],
    },
    "tactego": {
        ENGINE: [
            "rules.legal_actions",
            "rules.key",
            "rules.current_player",
            "rules.returns",
            "rules.randomize_start",
            "rules.observation_planes",
        ],
        OVER: ["rules.refusal: if is_over(state):"],
        ERRORS: [
            "program.tactego: if size not in SIZES:",
            "program.tactego: except ParameterError as error:",
            "program.ask_size: if size is None or size not in SIZES:",
            "program.main: if arguments:",
        ],
        VARIANT: [
            "rules.clear: if state.hidden:",
            "rules.relocate: if state.hidden:",
            "rules.attack: elif state.hidden:",
            "rules.apply_action: if state.limit > 0:",
            "rules.is_secret",
            "rules.redact",
            "rules.secret_kinds",
            "rules.scatter",
            "rules.has_hidden_information",
            "rules.resample",
        ],
        # A piece that cannot go anywhere is chosen; a side cannot move.
        SILENT: [
            "program.ask_start: elif not rules.can_leave(position, cell):",
            "rules.can_move: for cell in range(state.rows * state.cols):",
            "rules.winner: if best == NOBODY and not can_move(state):",
        ],
    },
}


@pytest.mark.slow("makes hundreds of sessions")
@pytest.mark.parametrize("game", UNMET)
def test_every_branch_that_a_document_states_is_met(game: str, tmp_path: Path) -> None:
    # A process of its own, so that it does not matter whether this one's coverage is measured.
    code = f"import json, branches; print(json.dumps(branches.unmet({game!r})))"
    unmet = json.loads(run_compiled(code, tmp_path, PYTHONPATH=os.pathsep.join(sys.path)))
    expected = [line for lines in UNMET[game].values() for line in lines]
    by_time = UNMET[game].get(TIME, [])
    assert {*unmet, *by_time} == set(expected)
    assert len(expected) == len(set(expected))
