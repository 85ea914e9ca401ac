// How the store is: the words for its state, and the banner that shows an outage above every panel.

import { el, fill, say } from "./dom.js";
import { count, duration, plural, time } from "./format.js";

const MOST_RULES = 3;

const WORDS = {
  ok: { kind: "good", word: "OK" },
  degraded: { kind: "warn", word: "Degraded" },
  down: { kind: "bad", word: "Outage" },
};

const banner = document.getElementById("outage");
const headline = el("b"); // announced when it changes; the numbers beside it are not
const numbers = el("span", { "aria-live": "off" });
banner.append(headline, numbers);

// What is jumped to stops below the header, however tall a banner makes it.
const header = banner.parentElement;
new ResizeObserver(() => {
  document.documentElement.style.scrollPaddingTop = `${header.offsetHeight + 16}px`;
}).observe(header);

/** What a state is called, and its colour. */
export function stateOf(store) {
  return WORDS[store.state] ?? { kind: "", word: store.state };
}

/** Shows or hides the banner. */
export function showBanner(store, now) {
  const { kind, word } = stateOf(store);
  banner.hidden = store.state === "ok";
  banner.dataset.state = store.state;
  banner.className = `banner ${kind}`;
  if (!banner.hidden) {
    const brief = cause(store).replace(/ \(.*\)$/, ""); // the panel has the details
    say(headline, `${word}: ${brief}.`);
    fill(numbers, ` ${howLong(store, now)}${effect(store)}`, affected(store));
  }
}

/** What is wrong, as a part of a sentence. */
export function cause(store) {
  const { outage, minute } = store;
  if (outage !== null && outage.to === null) {
    return `Redis ${outage.part} ${outage.problem}`;
  }
  if (outage !== null) {
    return `the store answers again since ${time(outage.to)}, after an outage of ${duration(outage.to - outage.from)}`;
  }
  const late = [];
  if (minute.fallback > 0) {
    late.push(
      `${plural(minute.fallback, "decision")} of the last minute had to be made without the store`,
    );
  }
  if (minute.errors > 0) {
    late.push(
      `${plural(minute.errors, "error")} of ${plural(minute.calls, "call")} to the store in the last minute`,
    );
  }
  return late.join(" and ") || "a part of the store is not asked";
}

function howLong({ outage, since }, now) {
  if (outage !== null && outage.to !== null) {
    return ""; // the cause has the times
  }
  return `For ${duration(Math.max(1000, now - (outage?.from ?? since)))}. `;
}

/** What it did to decisions: of the whole outage, if there was one. */
export function effect({ outage, minute }) {
  if (outage === null) {
    return "";
  }
  if (outage.decisions === 0) {
    return minute.fallback === 0 ? "No decision was made without it." : "";
  }
  const parts = [`${count(outage.allowed)} allowed`, `${count(outage.refused)} refused`];
  if (outage.error > 0) {
    parts.push(`${count(outage.error)} returned 503`);
  }
  if (outage.would_refuse > 0) {
    parts.push(`${count(outage.would_refuse)} would be refused`);
  }
  return `${plural(outage.decisions, "rule decision")} without it: ${parts.join(", ")}.`;
}

/** The rules that it concerns, the most affected first. */
export function affected({ rules }) {
  if (rules.length === 0) {
    return null;
  }
  const names = rules.slice(0, MOST_RULES).map(({ rule }) => el("bdi.rule", {}, rule));
  const rest = rules.length - names.length;
  return el(
    "span",
    { title: rules.map(({ rule, fallback }) => `${rule}: ${count(fallback)}`).join("\n") },
    ` Affected ${rules.length === 1 ? "rule" : "rules"}: `,
    ...names.flatMap((name, i) => (i === 0 ? [name] : [", ", name])),
    rest > 0 ? ` and ${count(rest)} more` : null,
    ".",
  );
}
