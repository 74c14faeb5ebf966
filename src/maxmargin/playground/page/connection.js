// The socket: requests and their answers, and a new connection when this one is lost.

import { say } from "./dom.js";
import { pack, unpack } from "./frames.js";

const PATIENCE = 250; // milliseconds after which a newer fit is sent though the last one is not answered

export class Connection {
  constructor(address, on) {
    this.address = address;
    this.on = on; // state(name), hello(header, arrays), failure(error)
    this.waiting = new Map();
    this.number = 0;
    this.tries = 0;
    this.flight = null;
    this.next = null;
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.on.state(this.tries ? "lost" : "connecting");
    const socket = (this.socket = new WebSocket(this.address));
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.take(unpack(event.data));
    socket.onclose = () => {
      if (socket !== this.socket) return;
      for (const { reject } of this.waiting.values()) reject(new Lost());
      this.waiting.clear();
      this.flight = null;
      this.tries += 1;
      this.on.state("lost");
      this.timer = setTimeout(() => this.open(), Math.min(4000, 250 * 2 ** Math.min(this.tries, 4)));
    };
  }

  get ready() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  take({ header, arrays }) {
    if (header.kind === "hello") {
      this.tries = 0;
      this.on.state("ready");
      this.on.hello(header, arrays);
      return;
    }
    const asked = this.waiting.get(header.id);
    if (!asked) {
      if (header.error) this.on.failure(header.error);
      return;
    }
    this.waiting.delete(header.id);
    if (header.dropped) asked.reject(new Dropped());
    else if (header.error) asked.reject(new Refused(header.error));
    else asked.resolve({ header, arrays });
  }

  /** The answer to one request. */
  ask(kind, header = {}, arrays = {}) {
    if (!this.ready) return Promise.reject(new Lost());
    const id = ++this.number;
    this.socket.send(pack({ ...header, kind, id }, arrays));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** A fit: one is under way at a time, and after it the newest of those that were asked for meanwhile. */
  fit(make, done, failed) {
    this.next = { make, done, failed };
    if (!this.flight) this.depart();
    else if (performance.now() - this.flight > PATIENCE) this.depart();
  }

  async depart() {
    const { make, done, failed } = this.next;
    this.next = null;
    const began = (this.flight = performance.now());
    clearTimeout(this.impatient);
    this.impatient = setTimeout(() => this.next && this.flight === began && this.depart(), PATIENCE);
    try {
      const [header, arrays] = make();
      const answer = await this.ask("fit", header, arrays);
      done(answer, performance.now() - began);
    } catch (error) {
      if (!(error instanceof Dropped)) failed(error);
    } finally {
      if (this.flight === began) {
        this.flight = null;
        if (this.next) this.depart();
      }
    }
  }
}

export class Dropped extends Error {
  constructor() {
    super("A newer request has taken the place of this one.");
  }
}
export class Lost extends Error {
  constructor() {
    super("The server is not connected just now.");
  }
}
export class Refused extends Error {
  constructor({ kind, message }) {
    super(message);
    this.kind = kind;
  }
}

/** Say why something was not done, unless its user has asked for something newer since. */
export function complain(error) {
  if (!(error instanceof Dropped)) say(error.message, "bad");
}
