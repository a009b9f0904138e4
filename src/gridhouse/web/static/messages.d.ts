// What the house says to the page of a table, as JSON. Only the type checker reads this file.

/** A legal move: its text, the cells to point at for it, and the choice that is left then. */
export type Gesture = [move: string, cells: number[], choice: string];

/** All that a page shows of a table. */
export interface View {
  type: "view";
  ply: number;
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
  asked: string;
  position: string;
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

export type Message = View | Refusal | Hint;
