// Written by tools/js/write_messages.py from gridhouse/server/tables/messages.py.

export type Gesture = [string, number[], string];

/** A player's clock: the milliseconds left when this was sent, and whether it runs. */
export interface Clock {
  name: string;
  left: number;
  runs: boolean;
}

/** The curtain of a screen for two: the request that lifts or drops it, its text and button. */
export interface Handover {
  does: "cover" | "uncover";
  says: string;
  button: string;
}

/** All that a page shows of a table; ``looking`` is the number of moves of a past position. */
export interface View {
  type: "view";
  ply: number;
  looking: number | null;
  board: string;
  drawn: boolean;
  heading: string;
  status: string;
  side: number;
  turns: boolean;
  moves: [string, string][];
  last: number[];
  gestures: Gesture[];
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

/** The reason why a request was refused. */
export interface Refusal {
  type: "refusal";
  text: string;
}

/** The strongest player's move in the position after ``ply`` moves, and its cells. */
export interface Hint {
  type: "hint";
  ply: number;
  move: string;
  cells: number[];
}

/** How the position after ``ply`` moves stands, in words. */
export interface Evaluation {
  type: "judge";
  ply: number;
  text: string;
}

/** A position of the line that the machine shows; ``last`` are the cells of its last move. */
export interface Frame {
  type: "frame";
  ply: number;
  board: string;
  last: number[];
  heading: string;
  status: string;
}

/** The end of the line that the machine shows. */
export interface Shown {
  type: "shown";
  ply: number;
}

/** The answer to the request of the same name: the connection stands. */
export interface Here {
  type: "here";
}

export type Help = Hint | Evaluation | Frame | Shown;

export type Message = View | Refusal | Hint | Evaluation | Frame | Shown | Here;

/** A move, made after ``ply`` moves. */
export interface MoveRequest {
  type: "move";
  move: string;
  ply: number;
}

/** A look at the position after ``ply`` moves, or at the game as it stands. */
export interface LookRequest {
  type: "look";
  ply?: number | null;
}

/** A question: the reason why no move begins with these cells. */
export interface WhyRequest {
  type: "why";
  cells: number[];
}

/** An answer to an offered takeback, or the withdrawal of one's own. */
export interface AnswerRequest {
  type: "answer";
  agrees: boolean;
}

/** A request without details. */
export interface PlainRequest {
  type: "turn" | "here" | "cover" | "uncover" | "undo" | "redo" | "resign" | "hint" | "judge" | "show" | "stop";
}

export type Request = MoveRequest | LookRequest | WhyRequest | AnswerRequest | PlainRequest;
