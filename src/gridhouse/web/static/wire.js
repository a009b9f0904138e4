// The socket of a table, which connects again by itself.

const FIRST_PAUSE = 250; // milliseconds
const LONGEST_PAUSE = 4000;

export class Wire {
  /**
   * @param {string} path
   * @param {(message: import("./messages").Message) => void} heard
   * @param {(open: boolean) => void} turned
   */
  constructor(path, heard, turned) {
    this.address = new URL(path, location.href.replace(/^http/, "ws")).href;
    this.heard = heard;
    this.turned = turned;
    this.pause = FIRST_PAUSE;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.connect();
  }

  connect() {
    const socket = new WebSocket(this.address);
    this.socket = socket;
    socket.addEventListener("message", (event) => {
      this.pause = FIRST_PAUSE;
      this.turned(true);
      this.heard(JSON.parse(event.data));
    });
    socket.addEventListener("close", () => {
      this.turned(false);
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    });
  }

  /** @param {object} message */
  say(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
