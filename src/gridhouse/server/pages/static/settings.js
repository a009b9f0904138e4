// The visitor's settings of tables, kept in this browser, and the sounds that they switch on.

const KEY = "gridhouse.settings";
/** @typedef {{ sound: boolean, vibration: boolean, numbers: boolean, ahead: boolean, theme: string }} Settings */

/** @type {Settings} */
const settings = { sound: false, vibration: false, numbers: true, ahead: true, theme: "house", ...read() };

/** @param {"ahead"} name */
export const wants = (name) => settings[name];

/** @returns {Partial<Settings>} the kept settings, none where the browser keeps nothing */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

/**
 * Connects the dialog of settings with the board.
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} board
 */
export function connect(dialog, board) {
  const apply = () => {
    board.classList.toggle("plain", !settings.numbers);
    board.dataset.theme = settings.theme;
  };
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (dialog.querySelectorAll("input, select"))) {
    const name = /** @type {keyof Settings} */ (field.name);
    if (field.type === "checkbox") field.checked = Boolean(settings[name]);
    else field.value = String(settings[name]);
    field.addEventListener("change", () => {
      Object.assign(settings, { [name]: field.type === "checkbox" ? field.checked : field.value });
      try {
        localStorage.setItem(KEY, JSON.stringify(settings));
      } catch {
        // The settings hold until the page is left.
      }
      apply();
      if (name === "sound") play("move");
    });
  }
  apply();
}

// Each sound is a short row of tones: hertz, seconds, and loudness.
/** @type {Record<string, [number, number, number][]>} */
const SOUNDS = {
  move: [[330, 0.06, 0.25]],
  turn: [[440, 0.06, 0.22], [587, 0.09, 0.22]],
  won: [[523, 0.12, 0.25], [659, 0.12, 0.25], [784, 0.3, 0.25]],
  over: [[392, 0.16, 0.22], [330, 0.3, 0.22]],
};
/** @type {AudioContext | null} */
let audio = null;

/**
 * Plays a sound and vibrates, if the visitor has switched this on.
 * @param {"move" | "turn" | "won" | "over"} name
 */
export function play(name) {
  if (settings.vibration && name !== "move") navigator.vibrate?.(30);
  if (!settings.sound) return;
  audio ??= new AudioContext();
  let at = audio.currentTime;
  for (const [hertz, seconds, loudness] of SOUNDS[name] ?? []) {
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: hertz });
    const volume = new GainNode(audio, { gain: loudness });
    volume.gain.setValueAtTime(loudness, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + seconds);
    at += 0.8 * seconds;
  }
}
