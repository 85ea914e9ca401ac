// Keys in full, for who gave a token. The server writes down each time.

import { el, say } from "./dom.js";
import { token } from "./session.js";

const buttons = [];
const listeners = [];
let revealing = false;

/** Whether keys are shown in full now. */
export function isRevealing() {
  return revealing;
}

/** Calls `listener` when that changed. */
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

/** Looks again whether there is a token. */
export function show() {
  for (const button of buttons) {
    const may = token() !== null;
    button.disabled = !may;
    button.title = may
      ? "Each time is written to the audit log"
      : "Only with a token: set admin_token at the server";
    button.setAttribute("aria-pressed", String(revealing));
    say(button, revealing ? "Mask keys" : may ? "Show keys in full" : "Keys are masked");
  }
}

function turn() {
  revealing = !revealing;
  show();
  listeners.forEach((listener) => listener());
}
