// Keys in full. The server writes each time to its audit log.

import { el, say } from "./dom.js";

/*
 * The server writes down each time that it shows keys in full. What the page has been shown it
 * keeps, and asks again only for callers that are new: a page that is left open for a day does not
 * fill the audit log.
 */
const known = new Map();
const buttons = [];
const listeners = [];
let revealing = false;

/** Calls `listener` when keys are to be shown otherwise. */
export function onReveal(listener) {
  listeners.push(listener);
}

/** A button that changes it. */
export function revealButton() {
  const button = el("button", { type: "button", onclick: turn, "aria-pressed": "false" });
  buttons.push(button);
  show();
  return button;
}

/**
 * What callers `ask` answers with, which are masked; or, if they are to be seen in full and one of
 * them was not yet, what it answers with when it is called with true.
 *
 * @param {function(boolean): Promise<object[]>} ask
 */
export async function revealed(ask) {
  const masked = await ask(false);
  if (!revealing || masked.every((caller) => known.has(name(caller)))) {
    return masked;
  }
  const full = await ask(true);
  full.forEach((caller) => known.set(name(caller), caller.key));
  return full;
}

/** The key of a caller, as it is to be shown. */
export function keyOf(caller) {
  return (revealing ? known.get(name(caller)) : undefined) ?? caller.key;
}

/** The first digits of a masked caller's id, to tell it from others; null where it shows some. */
export function tagOf(caller) {
  const hasDigits = /…[0-9a-f]{4}(\||$)/.test(caller.key);
  const isMasked = caller.key.includes("…"); // addresses are shown as they are
  return revealing || hasDigits || !isMasked ? null : caller.id.slice(0, 4);
}

function name({ rule, id }) {
  return `${id} ${rule}`;
}

function show() {
  for (const button of buttons) {
    button.title = "The server writes it to its audit log";
    button.setAttribute("aria-pressed", String(revealing));
    say(button, revealing ? "Mask keys" : "Show keys in full");
  }
}

function turn() {
  revealing = !revealing;
  known.clear();
  show();
  listeners.forEach((listener) => listener());
}
