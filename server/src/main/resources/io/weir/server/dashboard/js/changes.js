// 6. Changes

import { ask } from "./api.js";
import { data, el, fill, panel, say } from "./dom.js";
import { ago, count, date, plural } from "./format.js";

const OPEN = 3;

const { answer, body } = panel("changes");
const list = el("ol.changes");
fill(body, list);

let items = [];

/** Asks for all of them. */
export async function loadChanges() {
  try {
    items = (await ask("v1/changes")).items;
    items.sort((a, b) => b.time - a.time);
    draw();
  } catch (failure) {
    say(answer, failure.message);
  }
}

/** When the newest reload was rejected, if nothing has gone well since; else null. */
export function lastRejected() {
  return items[0]?.result === "rejected" ? items[0].time : null;
}

/** Says again how long ago the last was. */
export function ageChanges() {
  const reloads = items.filter((item) => item.result !== "started").length;
  const newest = items[0];
  say(
    answer,
    !newest
      ? "Nothing is recorded."
      : reloads === 0
        ? `Nothing since the start, ${ago(newest.time)}.`
        : `${plural(reloads, "reload")}, the last ${ago(newest.time)}${newest.result === "rejected" ? ": rejected, the rules before it are in force" : ""}.`,
  );
}

function draw() {
  ageChanges();
  fill(list, items.map(entry));
}

function entry(item, i) {
  const words = {
    started: ["", "Started"],
    success: ["good", "Reloaded"],
    rejected: ["bad", "Rejected"],
  };
  const [kind, word] = words[item.result] ?? ["", item.result];
  const head = [
    el(`span.badge${kind ? `.${kind}` : ""}`, {}, word),
    el("span.what", {}, data(item.summary)),
    el("time.small.soft", { datetime: new Date(item.time).toISOString() }, date(item.time)),
  ];
  const rows = difference(item);
  if (rows.length === 0) {
    return el("li", {}, el("div.head", {}, head));
  }
  return el(
    "li",
    {},
    el("details", { open: i < OPEN }, el("summary.head", {}, head), el("ul.diff", {}, rows)),
  );
}

function difference({ added = [], changed = [], removed = [], problems = [], more = 0 }) {
  return [
    ...problems.map((text) => el("li.rejected", {}, el("span.sign", {}, "!"), data(text))),
    ...added.map((rule) => el("li.added", {}, sign("+", "added"), named(rule))),
    ...changed.map((change) =>
      el(
        "li.changed",
        {},
        sign("~", "changed"),
        el(
          "div",
          {},
          named(change),
          change.parts.map(part),
          change.more > 0 ? el("p.soft", {}, `and ${count(change.more)} more`) : null,
        ),
      ),
    ),
    ...removed.map((rule) => el("li.removed", {}, sign("−", "removed"), named(rule))),
    ...(more > 0 ? [el("li.soft", {}, el("span.sign"), `and ${count(more)} more`)] : []),
  ];
}

/** What was, and what is: of an override, by its name. */
function part({ what, before, after }) {
  return el(
    "p",
    {},
    what === "" ? null : [el("span.what", {}, data(what)), ": "],
    el("del", {}, data(before)),
    " → ",
    el("ins", {}, data(after)),
  );
}

/** Rules are given by name alone, or with more about them. */
function named(rule) {
  return typeof rule === "string" ? data(rule) : el("span", {}, data(rule.rule));
}

function sign(mark, words) {
  return el(
    "span.sign",
    {},
    el("span", { "aria-hidden": "true" }, mark),
    el("span.unseen", {}, `${words}: `),
  );
}
