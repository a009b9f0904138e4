// The socket of a table, which reconnects after a failure.

const FIRST_PAUSE = 250; // milliseconds
const LONGEST_PAUSE = 4000;
const SILENCE = 15_000; // milliseconds without a message after which the connection is checked
const PATIENCE = 6000; // milliseconds within which the server has to answer
const RESTART = 1012; // the code with which a house closes that ends in good order
const REFUSED = 1008; // the code for a visitor who is refused, or a table that was removed
const SHARE = 0.7; // of the allowed rate, because the network may deliver messages in bursts
const LATEST = new Set(["look", "why"]); // only the last waiting request of these types is sent
const SLOW = new Set(["hint", "judge", "show", "stop"]); // requests without an immediate answer

/** @typedef {import("./messages").Request} Request */
/** @typedef {Exclude<import("./messages").Message, import("./messages").Here>} News */

export class ReconnectingSocket {
  /**
   * @param {string} path
   * @param {{ burst: number, rate: number }} allowed messages at once, and a second in the long run
   * @param {(message: News) => void} heard
   * @param {(open: boolean, restarts: boolean) => void} turned
   */
  constructor(path, allowed, heard, turned) {
    this.path = path;
    this.burst = SHARE * allowed.burst;
    this.rate = SHARE * allowed.rate;
    this.heard = heard;
    this.turned = turned;
    this.pause = FIRST_PAUSE;
    this.left = 0; // messages that may be sent now
    this.counted = 0; // the time of that count
    this.expects = false;
    this.alarm = 0;
    this.pump = 0;
    /** @type {Request[]} */
    this.queue = [];
    /** @type {WebSocket | null} */
    this.socket = null;
    document.addEventListener("visibilitychange", () => document.hidden || this.check());
    this.connect();
  }

  connect() {
    const socket = new WebSocket(new URL(this.path, location.href.replace(/^http/, "ws")));
    this.socket = socket;
    this.queue = [];
    this.left = this.burst;
    this.counted = performance.now();
    this.expects = false;
    this.expect();
    socket.addEventListener("message", (event) => {
      if (socket !== this.socket) return;
      this.pause = FIRST_PAUSE;
      this.expects = false;
      this.wake(SILENCE, () => this.check());
      this.turned(true, false);
      /** @type {import("./messages").Message} */
      const message = JSON.parse(event.data);
      if (message.type !== "here") this.heard(message);
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.socket && code === REFUSED) location.reload(); // the answer says why
      else this.drop(socket, code === RESTART);
    });
  }

  /**
   * Drops a connection, and reconnects after a pause.
   * @param {WebSocket | null} socket
   * @param {boolean} restarts
   */
  drop(socket, restarts = false) {
    if (socket === null || socket !== this.socket) return;
    this.socket = null;
    clearTimeout(this.alarm);
    clearTimeout(this.pump);
    socket.close();
    this.turned(false, restarts);
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  /**
   * @param {number} after milliseconds
   * @param {() => void} does
   */
  wake(after, does) {
    clearTimeout(this.alarm);
    this.alarm = setTimeout(does, after);
  }

  /** Drops the connection unless a message arrives soon: nothing else closes a dead one. */
  expect() {
    if (this.expects) return;
    this.expects = true;
    this.wake(PATIENCE, () => this.drop(this.socket));
  }

  /** Checks that the server still answers. */
  check() {
    this.say({ type: "here" });
  }

  /**
   * @param {Request} message
   * @returns {boolean} whether the message could be queued
   */
  say(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    if (LATEST.has(message.type)) this.queue = this.queue.filter(({ type }) => type !== message.type);
    this.queue.push(message);
    if (!SLOW.has(message.type)) this.expect();
    this.send();
    return true;
  }

  /** Sends waiting messages, but stays below the rate at which the server closes the connection. */
  send() {
    const now = performance.now();
    this.left = Math.min(this.burst, this.left + ((now - this.counted) / 1000) * this.rate);
    this.counted = now;
    while (this.left >= 1 && this.queue.length) {
      this.left -= 1;
      this.socket?.send(JSON.stringify(this.queue.shift()));
    }
    clearTimeout(this.pump);
    if (this.queue.length) this.pump = setTimeout(() => this.send(), (1000 * (1 - this.left)) / this.rate);
  }
}
