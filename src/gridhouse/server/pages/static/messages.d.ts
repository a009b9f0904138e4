// What the house says to the page of a table, as JSON. Only the type checker reads this file.

/** A legal move: its text, the cells to point at for it, and the choice that is left then. */
export type Gesture = [move: string, cells: number[], choice: string];

/** A player's clock: the milliseconds left when this was said, and whether they go on. */
export interface Clock {
  name: string;
  left: number;
  runs: boolean;
}

/** All that a page shows of a table. */
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
  moves: [name: string, move: string][];
  last: number[];
  gestures: Gesture[];
  acts: boolean;
  over: boolean;
  handing: { does: "cover" | "uncover"; says: string; button: string } | null;
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

/** Why something was not done. */
export interface Refusal {
  type: "refusal";
  text: string;
}

export interface Hint {
  type: "hint";
  ply: number;
  move: string;
  cells: number[];
}

export interface Judgement {
  type: "judge";
  ply: number;
  text: string;
}

/** A position of those that the machine shows, with the cells of the move that led there. */
export interface Frame {
  type: "frame";
  ply: number;
  board: string;
  last: number[];
  heading: string;
  status: string;
}

/** The machine has shown all it wanted to. */
export interface Shown {
  type: "shown";
  ply: number;
}

export type Help = Hint | Judgement | Frame | Shown;
/** The answer to the same question: whether the other side is still there. */
export interface Here {
  type: "here";
}
export type Message = View | Refusal | Help;
