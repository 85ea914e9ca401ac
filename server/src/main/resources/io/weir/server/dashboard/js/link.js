// Whether the page still hears the server: the word in the bar, and the banner when it does not.

import { el, fill, say } from "./dom.js";
import { duration, plural, time } from "./format.js";

const STALE_MS = 4000;

const live = document.getElementById("live");
const words = live.querySelector(".words");
const banner = document.getElementById("banner");
const countdown = el("span");

let state = "connecting";
let heard = null;
let retryAt = null;

/** A word from the server: all is well. */
export function hear(now = Date.now()) {
  heard = now;
  if (state !== "live") {
    show("live", "Live");
  }
  document.body.removeAttribute("data-stale");
  banner.hidden = true;
}

/** Events cannot be had, answers can: the page asks now and then. */
export function poll(reason, everyMs) {
  heard = Date.now();
  show("polling", `Every ${duration(everyMs)}`);
  live.title = reason;
  document.body.removeAttribute("data-stale");
  banner.hidden = true;
}

/** The server is gone; it is tried again in `pause` ms, or when the button is pressed. */
export function lose(pause, hurry) {
  retryAt = Date.now() + pause;
  if (state !== "lost") {
    show("lost", "Disconnected");
    document.body.setAttribute("data-stale", "");
    fill(
      banner,
      heard === null
        ? "The server does not answer. "
        : `The server does not answer. What you see is from ${time(heard)}. `,
      countdown,
      el("button", { type: "button", onclick: hurry }, "Try now"),
    );
    banner.hidden = false;
  }
  count();
}

/** Whether there is any use in asking. */
export function isThere() {
  return state === "live" || state === "polling";
}

/** Whether events come. */
export function isLive() {
  return state === "live";
}

/** Keeps the words true while nothing comes; to be called every second. */
export function age() {
  if (state === "lost") {
    count();
  } else if (state === "live" && Date.now() - heard > STALE_MS) {
    say(words, `Silent for ${duration(Date.now() - heard)}`);
  } else if (state === "live") {
    say(words, "Live");
  }
}

function count() {
  const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
  say(countdown, seconds === 0 ? "Trying…" : `Next try in ${plural(seconds, "second")}.`);
}

function show(next, text) {
  state = next;
  live.dataset.state = next;
  live.removeAttribute("title");
  say(words, text);
}
