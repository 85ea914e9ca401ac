// A row of buttons of which one is pressed.

import { el } from "./dom.js";

/**
 * @param {string} label what is chosen, for who does not see it
 * @param {Array<[string, string]>} options value and words
 * @param {string} first the value that is pressed
 * @param {function(string)} chosen called with another value
 */
export function choices(label, options, first, chosen) {
  const buttons = options.map(([value, words]) =>
    el(
      "button",
      { type: "button", "aria-pressed": String(value === first), onclick: () => press(value) },
      words,
    ),
  );
  const row = el("div.choices", { role: "group", "aria-label": label }, buttons);
  let pressed = first;

  function press(value) {
    if (value === pressed) {
      return;
    }
    pressed = value;
    buttons.forEach((button, i) =>
      button.setAttribute("aria-pressed", String(options[i][0] === value)),
    );
    chosen(value);
  }

  return { row, press, value: () => pressed };
}

/** How long back; the same everywhere. */
export const RANGES = [
  ["5m", "5 min"],
  ["1h", "1 hour"],
  ["24h", "24 hours"],
];
