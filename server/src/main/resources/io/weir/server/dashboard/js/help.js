// Keyboard shortcuts, and the dialog that lists them.

import { el } from "./dom.js";
import { focusSearch } from "./rules.js";
import { turnTheme } from "./theme.js";
import { turnRange } from "./traffic.js";

const PANELS = ["well", "traffic", "who", "rules", "whatif", "changes"];

const SHORTCUTS = [
  ["1 … 6", "Go to a panel"],
  ["/", "Find a rule"],
  ["R", "Next time range of the chart"],
  ["← →", "Read a chart, when it has the focus"],
  ["T", "Light, dark, or as the system"],
  ["Esc", "Close what is open"],
  ["?", "This help"],
];

export function startShortcuts() {
  document.getElementById("help").addEventListener("click", openHelp);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input:not([type=range]), select, textarea");
    if (
      isTyping ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector("dialog[open]")
    ) {
      return;
    }
    const panel = PANELS[Number(event.key) - 1];
    if (panel) {
      go(panel);
    } else if (event.key === "/") {
      event.preventDefault();
      focusSearch();
    } else if (event.key === "t" || event.key === "T") {
      turnTheme();
    } else if (event.key === "r" || event.key === "R") {
      turnRange();
    } else if (event.key === "?") {
      openHelp();
    }
  });
}

function go(id) {
  const section = document.getElementById(id);
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function openHelp() {
  const dialog = el(
    "dialog.card",
    { "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keyboard"),
    el(
      "dl.shortcuts",
      {},
      SHORTCUTS.map(([keys, words]) =>
        el("div", {}, el("dt", {}, el("kbd", {}, keys)), el("dd", {}, words)),
      ),
    ),
    el(
      "p.actions",
      {},
      el("button.main", { type: "button", onclick: () => dialog.close() }, "Close"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
