// Written by tools/js/write_messages.py from gridhouse/server/tables/messages.py.

export type Gesture = [string, number[], string];

export type Splice = [number, number, string[]];

/** A count of the status: its words, its symbol, and the player whose count it is, or null. */
export interface Token {
  label: string;
  count: number;
  icon: string;
  side: number | null;
}

/** A player's clock: the milliseconds left at the time of sending, and whether it runs. */
export interface Clock {
  name: string;
  left: number;
  runs: boolean;
}

/** The privacy screen for two players: the request of its button, its text, and its label. */
export interface Handover {
  does: "uncover";
  says: string;
  button: string;
}

/** The result of a finished game, how it ended, and for daily puzzles the best result.

``you`` is the visitor's own result, "" for who watches, plays both sides or plays alone. */
export interface Result {
  title: string;
  reason: string;
  best: string;
  you: "won" | "lost" | "draw" | "";
}

/** The next game of the same players: its address, and whether the other player offers it. */
export interface Rematch {
  address: string;
  offered: boolean;
}

/** The complete content of a page; ``looking`` is the ply of an earlier position.

``cameras`` are the names of the picture's viewpoints, none if there is one only; ``landings``
are, by moves, the cells that light up instead of the last one of a gesture.
``board`` is "" where ``changes`` say how the page makes it from the board that it has: splices
of its lines, the last one first.  ``moves`` are those after the first ``since``, which the page
has already; ``comment`` says what the last move did besides moving, and ``notes`` says it of
every one of ``moves``.
``names`` has who plays each player, "" for a free seat.  ``present`` tells which players have
the page open, and ``watchers`` is the number of other pages. */
export interface View {
  type: "view";
  ply: number;
  looking: number | null;
  board: string;
  changes: Splice[] | null;
  drawn: boolean;
  heading: string;
  status: string;
  tokens: Token[];
  comment: string;
  side: number;
  camera: number;
  cameras: string[];
  since: number;
  moves: [string, string][];
  notes: string[];
  last: number[];
  gestures: Gesture[];
  landings: Record<string, number[]>;
  acts: boolean;
  over: boolean;
  result: Result | null;
  rematch: Rematch | null;
  handing: Handover | null;
  undo: boolean;
  redo: boolean;
  resign: boolean;
  helps: boolean;
  unaided: boolean;
  asked: string;
  waits: string;
  position: string;
  clocks: (Clock | null)[] | null;
  names: string[];
  present: boolean[];
  watchers: number;
  invitation?: string;
}

/** The reason why a request was refused, and the cells of what stands in the way of a move. */
export interface Refusal {
  type: "refusal";
  text: string;
  cells?: number[];
}

/** The strongest player's move in the position after ``ply`` moves, its cells and its choice. */
export interface Hint {
  type: "hint";
  ply: number;
  move: string;
  cells: number[];
  choice: string;
}

/** The evaluation of the position after ``ply`` moves, in words. */
export interface Evaluation {
  type: "judge";
  ply: number;
  text: string;
}

/** A position of the best line; ``last`` are the cells of its last move. */
export interface Frame {
  type: "frame";
  ply: number;
  board: string;
  last: number[];
  heading: string;
  status: string;
  tokens: Token[];
}

/** The end of the best line. */
export interface Shown {
  type: "shown";
  ply: number;
}

/** A move of a reviewed game; a bad one has a mark, what it lost in words, and a better line. */
export interface ReviewedMove {
  name: string;
  player: number;
  move: string;
  note: string;
  mark: string;
  loss: number;
  text: string;
  better: string[];
  cells: number[];
}

/** The review of a finished game, as far as it is done.

``values``, ``proved`` and ``texts`` are by position.  A value is the expected result of the
first player, or in a game for one (``alone``) the best result that can be reached, of which the
smaller is better if ``fewer``; None where it is not known.  ``moments`` are the worst moves. */
export interface Review {
  type: "review";
  done: number;
  positions: number;
  every: number;
  failed: boolean;
  hidden: boolean;
  alone: boolean;
  fewer: boolean;
  players: string[];
  seats: number[];
  values: (number | null)[];
  proved: boolean[];
  texts: string[];
  moves: ReviewedMove[];
  moments: number[];
  accuracy: (number | null)[];
  best: string;
}

/** A position of a finished game, with the legal moves there. */
export interface Past {
  type: "past";
  board: string;
  drawn: boolean;
  side: number;
  last: number[];
  gestures: Gesture[];
  acts: boolean;
  comment: string;
}

/** The answer to a better move that was looked for. */
export interface Attempt {
  right: boolean;
  text: string;
}

/** A change of the two fields of the view: somebody has come or gone. */
export interface Presence {
  type: "presence";
  present: boolean[];
  watchers: number;
}

/** A phrase of a player; ``name`` is the player's name, or the player of the game. */
export interface Phrase {
  type: "phrase";
  name: string;
  text: string;
}

/** The answer to the request of the same name: the connection is alive. */
export interface Here {
  type: "here";
}

export type Help = Hint | Evaluation | Frame | Shown;

export type Message = View | Refusal | Hint | Evaluation | Frame | Shown | Presence | Phrase | Here;

/** A move in the position after ``ply`` moves. */
export interface MoveRequest {
  type: "move";
  move: string;
  ply: number;
}

/** A request for the position after ``ply`` moves, or for the current one. */
export interface LookRequest {
  type: "look";
  ply?: number | null;
}

/** A request for the picture from viewpoint ``to``, or from the next one. */
export interface TurnRequest {
  type: "turn";
  to?: number | null;
}

/** A request for the reason why no move begins with these cells. */
export interface WhyRequest {
  type: "why";
  cells: number[];
}

/** An answer to a takeback request, or the withdrawal of one's own. */
export interface AnswerRequest {
  type: "answer";
  agrees: boolean;
}

/** A phrase to the friend at the table, by its number. */
export interface PhraseRequest {
  type: "phrase";
  number: number;
}

/** A request without parameters. */
export interface PlainRequest {
  type: "here" | "uncover" | "undo" | "redo" | "resign" | "hint" | "judge" | "show" | "stop";
}

export type Request = MoveRequest | LookRequest | TurnRequest | WhyRequest | AnswerRequest | PhraseRequest | PlainRequest;
