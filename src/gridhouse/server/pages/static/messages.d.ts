// Written by tools/js/write_messages.py from gridhouse/server/tables/messages.py.

export type Gesture = [string, number[], string];

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
  does: "cover" | "uncover";
  says: string;
  button: string;
}

/** The complete content of a page; ``looking`` is the ply of an earlier position.

``cameras`` are the names of the picture's viewpoints, none if there is one only; ``landings``
are, by moves, the cells that light up instead of the last one of a gesture. */
export interface View {
  type: "view";
  ply: number;
  looking: number | null;
  board: string;
  drawn: boolean;
  heading: string;
  status: string;
  tokens: Token[];
  side: number;
  camera: number;
  cameras: string[];
  moves: [string, string][];
  last: number[];
  gestures: Gesture[];
  landings: Record<string, number[]>;
  acts: boolean;
  over: boolean;
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
  invitation?: string;
}

/** The reason why a request was refused, and the cells of what stands in the way of a move. */
export interface Refusal {
  type: "refusal";
  text: string;
  cells?: number[];
}

/** The strongest player's move in the position after ``ply`` moves, and its cells. */
export interface Hint {
  type: "hint";
  ply: number;
  move: string;
  cells: number[];
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

/** The answer to the request of the same name: the connection is alive. */
export interface Here {
  type: "here";
}

export type Help = Hint | Evaluation | Frame | Shown;

export type Message = View | Refusal | Hint | Evaluation | Frame | Shown | Here;

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

/** A request without parameters. */
export interface PlainRequest {
  type: "here" | "cover" | "uncover" | "undo" | "redo" | "resign" | "hint" | "judge" | "show" | "stop";
}

export type Request = MoveRequest | LookRequest | TurnRequest | WhyRequest | AnswerRequest | PlainRequest;
