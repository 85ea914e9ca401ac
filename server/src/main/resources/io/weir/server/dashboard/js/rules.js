// 4. Rules

import { el, fill, panel, say } from "./dom.js";
import { flag } from "./flags.js";
import { count, plural } from "./format.js";
import { areHandsOn } from "./hands.js";
import { row } from "./row.js";

const PAGE = matchMedia("(max-width: 48rem)").matches ? 8 : 15;
const PAUSE_MS = 250;

const COLUMNS = [
  { words: "Rule", sort: "name" },
  { words: "Limit" },
  {
    words: "Allowed",
    sort: "allowed",
    number: true,
    hint: "since the start; below: in the last minute",
  },
  {
    words: "Refused",
    sort: "denied",
    number: true,
    hint: "since the start; below: in the last minute. Of shadow rules: would be refused",
  },
  {
    words: "Refused % of decided",
    sort: "refused_share",
    number: true,
    hint: "of the requests that this rule decided, since the start: those that it refused, and those that went. A request that another rule refused is not among them",
  },
  {
    words: "Callers",
    number: true,
    hint: "distinct, in 24 hours; below: the share of them that was ever refused, or would have been",
  },
  { words: "Notes" },
];
const LABELS = COLUMNS.map((column) => column.words);

const { answer, body } = panel("rules");
const search = el("input", {
  type: "search",
  id: "search",
  placeholder: "Find a rule",
  "aria-label": "Find a rule",
  "aria-keyshortcuts": "/",
});
const rows = el("tbody");
const heads = COLUMNS.map(head);
const table = el(
  "table.rules",
  {},
  el("caption.unseen", {}, "Rules, with what they did"),
  el("thead", {}, el("tr", {}, heads)),
  rows,
);
const empty = el("p.empty", { hidden: true });
const where = el("span.small.soft", { role: "status" });
const back = el("button", { type: "button", onclick: () => turn(-1) }, "Back");
const on = el("button", { type: "button", onclick: () => turn(1) }, "Next");
const pages = el("div.pages", {}, where, back, on);

let wanted = { sort: "denied", q: "", offset: 0 };
let reload = () => {};
let timer = null;

fill(body, el("div.controls", {}, search), el("div.scroll", {}, table), empty, pages);
search.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => want({ q: search.value.trim(), offset: 0 }), PAUSE_MS);
});

function head(column) {
  const traits = {
    scope: "col",
    class: column.number ? "number" : null,
    title: column.hint ?? null,
  };
  if (!column.sort) {
    return el("th", traits, column.words);
  }
  return el(
    "th",
    {
      ...traits,
      "aria-sort": column.sort === "denied" ? "descending" : "none",
      "data-sort": column.sort,
    },
    el(
      "button.link",
      { type: "button", onclick: () => want({ sort: column.sort, offset: 0 }) },
      column.words,
    ),
  );
}

/** What the table wants to see of the overview. */
export function rulesWanted() {
  return { limit: PAGE, ...wanted };
}

/** Calls `listener` when it wants to see something else. */
export function onRulesWanted(listener) {
  reload = listener;
}

/** Puts the cursor into the search. */
export function focusSearch() {
  search.focus();
}

function want(change) {
  wanted = { ...wanted, ...change };
  for (const cell of heads) {
    if (cell.dataset.sort) {
      const order = wanted.sort === "name" ? "ascending" : "descending";
      cell.setAttribute("aria-sort", cell.dataset.sort === wanted.sort ? order : "none");
    }
  }
  reload();
}

function turn(direction) {
  want({ offset: Math.max(0, wanted.offset + direction * PAGE) });
}

/** Shows an overview. */
export function showRules({ rules }) {
  if (rules.items.length === 0 && wanted.offset > 0) {
    want({ offset: 0 }); // there are fewer of them than there were
    return;
  }
  if (areHandsOn(rows)) {
    return;
  }
  const focused = rows.contains(document.activeElement)
    ? document.activeElement.dataset.name
    : null;
  fill(
    rows,
    rules.items.map((item) => row(item, LABELS)),
  );
  if (focused) {
    [...rows.querySelectorAll("button")].find((button) => button.dataset.name === focused)?.focus();
  }
  table.hidden = rules.items.length === 0;
  empty.hidden = rules.items.length > 0;
  say(empty, rules.count === 0 ? "There are no rules." : `No rule has “${wanted.q}” in its name.`);
  const first = wanted.offset + 1;
  const last = wanted.offset + rules.items.length;
  pages.hidden = rules.items.length === 0;
  say(where, `${count(first)}–${count(last)} of ${plural(rules.matching, "rule")}`);
  back.disabled = wanted.offset === 0;
  on.disabled = last >= rules.matching;
  say(answer, verdict(rules));
}

/** The server answered with an error. */
export function showTrouble(message) {
  say(answer, message);
}

function verdict(rules) {
  if (rules.count === 0) {
    return "There are no rules.";
  }
  const odd = Object.entries(rules.flags).filter(([, n]) => n > 0);
  if (odd.length === 0) {
    return `${plural(rules.count, "rule")}, nothing to note.`;
  }
  return `${odd.map(([name, n]) => `${flag(name).words.toLowerCase()}: ${count(n)}`).join(", ")}.`;
}
