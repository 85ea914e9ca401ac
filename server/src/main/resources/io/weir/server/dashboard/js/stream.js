// Server-sent events, read by fetch: EventSource cannot send a token.

import { listen, Refusal } from "./api.js";

const SILENCE_MS = 20_000; // a tick is due every second
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const STEADY_MS = 3000; // a connection that lasted as long was one
const ROOM = 1 << 20; // of one event; more is no event of ours

/**
 * Reads events for as long as the page lives, connecting again when the connection is lost: after
 * half a second, then twice as long each time, up to 15 s, and a little by chance so that many pages
 * do not come back at once.
 */
export class Stream {
  #listeners = new Map();
  #wake = () => {};

  /** Calls `listener` with the data of each event of this name; "open" and "lost" are ours. */
  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  /** Tries now instead of waiting. */
  hurry() {
    this.#wake();
  }

  async start(path) {
    let wait = FIRST_WAIT_MS;
    for (;;) {
      const began = Date.now();
      let reason;
      try {
        await this.#read(path);
        reason = new Error("The server ended the connection.");
      } catch (failure) {
        reason = failure;
      }
      if (Date.now() - began > STEADY_MS) {
        wait = FIRST_WAIT_MS;
      }
      const pause = wait * (0.8 + 0.4 * Math.random());
      this.#tell("lost", { reason, isFull: reason instanceof Refusal, pause });
      const isHurried = await this.#sleep(pause);
      wait = isHurried ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  async #read(path) {
    const cut = new AbortController();
    let timer = setTimeout(() => cut.abort(), SILENCE_MS);
    try {
      const answer = await listen(path, cut.signal);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      this.#tell("open", {});
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) {
          return;
        }
        clearTimeout(timer);
        timer = setTimeout(() => cut.abort(), SILENCE_MS);
        const events = (rest + value).split(/\r?\n\r?\n/);
        rest = events.pop();
        if (rest.length > ROOM) {
          throw new Error("The server sent an event without an end.");
        }
        events.forEach((event) => this.#take(event));
      }
    } finally {
      clearTimeout(timer);
      cut.abort();
    }
  }

  #take(event) {
    let name = "message";
    const lines = [];
    for (const line of event.split(/\r?\n/)) {
      if (line.startsWith("event:")) {
        name = line.slice(6).trim();
      } else if (line.startsWith("data:")) {
        lines.push(line.slice(5).trimStart());
      }
    }
    if (lines.length > 0) {
      this.#tell(name, JSON.parse(lines.join("\n")));
    }
  }

  #tell(name, data) {
    (this.#listeners.get(name) ?? []).forEach((listener) => listener(data));
  }

  #sleep(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms, false);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
