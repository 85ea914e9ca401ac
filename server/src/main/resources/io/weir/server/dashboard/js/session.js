// The token of the admin port: asked for when the server wants one, kept while the tab lives.

import { el, fill } from "./dom.js";

const NAME = "weir-token";

let asking = null;

/** The token, or null. */
export function token() {
  return sessionStorage.getItem(NAME);
}

/** The header that carries it. */
export function headers() {
  const given = token();
  return given === null ? {} : { Authorization: `Bearer ${given}` };
}

/** Asks for the token, once however many ask; done when one was given. Whether it is right, the next answer tells. */
export function askForToken() {
  asking ??= new Promise((resolve) => open(resolve)).finally(() => {
    asking = null;
  });
  return asking;
}

function open(done) {
  const field = el("input", {
    type: "password",
    id: "token",
    autocomplete: "off",
    "aria-describedby": "token-note",
    required: true,
  });
  const wasWrong = token() !== null;
  const note = el(
    "p.small",
    { id: "token-note", class: wasWrong ? "problem" : "soft" },
    wasWrong
      ? "The server did not accept that token."
      : "It is the server's admin_token. This tab keeps it until it is closed.",
  );
  const dialog = el("dialog.card", { "aria-labelledby": "token-title" });
  const form = el(
    "form",
    {
      onsubmit: (event) => {
        event.preventDefault();
        sessionStorage.setItem(NAME, field.value.trim());
        dialog.close();
        dialog.remove();
        done();
      },
    },
    el("h2", { id: "token-title" }, "Admin token required"),
    el("label", { for: "token" }, "Admin token"),
    field,
    note,
    el("p.actions", {}, el("button.main", { type: "submit" }, "Sign in")),
  );
  // There is nothing to see without it: Escape does not close it.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  fill(dialog, form);
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
}
