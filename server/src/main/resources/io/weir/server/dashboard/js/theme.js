// Light or dark: as the system says, until somebody chooses.

import { fill } from "./dom.js";

const NAME = "weir-theme";
const ORDER = ["auto", "light", "dark"];
const SIGNS = { auto: "◐", light: "☀", dark: "☾" };
const WORDS = { auto: "as the system", light: "light", dark: "dark" };

const button = document.getElementById("theme");
const listeners = new Set();

/** Calls `listener` when colours changed, until what this returns is called. */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The next of system, light and dark. */
export function turnTheme() {
  const next = ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length];
  localStorage.setItem(NAME, next);
  apply();
}

export function startTheme() {
  button.addEventListener("click", turnTheme);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  apply();
}

function chosen() {
  const kept = localStorage.getItem(NAME);
  return ORDER.includes(kept) ? kept : "auto";
}

function apply() {
  const theme = chosen();
  if (theme === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  fill(button, SIGNS[theme]);
  button.setAttribute("aria-label", `Theme: ${WORDS[theme]}`);
  button.title = `Theme: ${WORDS[theme]} (T)`;
  listeners.forEach((listener) => listener());
}
