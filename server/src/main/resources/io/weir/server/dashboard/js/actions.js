// Reset and grant: asked twice, done once, told what came of it.

import { ask } from "./api.js";
import { el, fill, say } from "./dom.js";
import { plural } from "./format.js";

const MOST = 2 ** 31;

/** Buttons for a caller; `done` is called with how it stands afterwards. */
export function caseActions(rule, id, done) {
  const told = el("p.told", { role: "status" });
  const permits = el("input", {
    type: "number",
    min: 1,
    max: MOST,
    value: "10",
    "aria-label": "Permits to give",
  });
  const row = el("div.actions");
  const caller = { rule, id };

  const reset = {
    question: () => "Reset this caller to full?",
    yes: "Reset",
    act: () => ask("v1/keys", caller, "DELETE"),
    word: () => "Reset to full.",
  };
  const grant = {
    question: () => `Give this caller ${plural(Number(permits.value), "permit")}?`,
    yes: "Grant",
    act: () => ask("v1/keys/grant", { ...caller, permits: permits.value }, "POST"),
    word: () => `Granted ${plural(Number(permits.value), "permit")}.`,
  };

  function offer(focus) {
    const buttons = {
      reset: el("button", { type: "button", onclick: () => confirm(reset, "reset") }, "Reset…"),
      grant: el("button", { type: "submit" }, "Grant…"),
    };
    const form = el(
      "form.grant",
      {
        onsubmit: (event) => {
          event.preventDefault();
          confirm(grant, "grant");
        },
      },
      permits,
      buttons.grant,
    );
    fill(row, buttons.reset, form);
    if (focus) {
      buttons[focus].focus();
    }
  }

  function confirm(action, from) {
    const question = action.question();
    const no = el("button", { type: "button", onclick: () => offer(from) }, "Cancel");
    const yes = el(
      "button.main",
      {
        type: "button",
        onclick: async () => {
          yes.disabled = true;
          try {
            const state = await action.act();
            told.className = "told";
            say(told, action.word());
            done(state);
          } catch (failure) {
            told.className = "told problem";
            say(told, failure.message);
          }
          offer(from);
        },
      },
      action.yes,
    );
    say(told, "");
    fill(row, el("p", {}, question), yes, no);
    no.focus();
  }

  offer(null);
  return el("div", {}, row, told);
}
