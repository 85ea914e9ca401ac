// 3. Top callers

import { ask } from "./api.js";
import { openCaller } from "./caller.js";
import { choices } from "./choices.js";
import { data, el, fill, panel, say } from "./dom.js";
import { ago, count, plural, sentence, share } from "./format.js";
import { areHandsOn } from "./hands.js";
import { picker } from "./picker.js";
import { keyOf, onReveal, revealButton, revealed, tagOf } from "./reveal.js";

const SHOWN = matchMedia("(max-width: 48rem)").matches ? 5 : 8;
const SPAN = { minute: "last minute", hour: "last hour" };

const { answer, body } = panel("who");
const span = choices(
  "Time range",
  [
    ["minute", "Last minute"],
    ["hour", "Last hour"],
  ],
  "minute",
  () => loadCallers(),
);
const rule = picker("Rule of the callers", "All rules", (item) => {
  only = item;
  loadCallers();
});
const lists = {
  refused: list("Most refused", "No caller was refused."),
  would_be_refused: list("Would be refused", "No caller would be refused by a shadow rule."),
  near: list("Nearest to their limit", "No caller is near a limit without being refused."),
};
const note = el("p.small.soft.after");

let only = null;
let asked = 0;

fill(
  body,
  el("div.controls", {}, span.row, rule.box, el("span.push", {}, revealButton())),
  el("div.pair", {}, lists.refused.box, lists.would_be_refused.box, lists.near.box),
  note,
);
onReveal(() => loadCallers());

function list(title, nothing) {
  const rows = el("ol.callers", { "aria-label": title });
  const none = el("p.empty", { hidden: true }, nothing);
  return { rows, none, box: el("div", {}, el("h3", {}, title), rows, none) };
}

/** Asks for the lists. */
export async function loadCallers() {
  const turn = ++asked;
  let refused;
  let wouldBe;
  let near;
  try {
    await revealed(async (reveal) => {
      [refused, wouldBe, near] = await Promise.all(
        Object.keys(lists).map((kind) => top(kind, reveal)),
      );
      return [...refused.items, ...wouldBe.items, ...near.items];
    });
  } catch (failure) {
    if (turn === asked) {
      say(answer, failure.message);
    }
    return;
  }
  if (turn !== asked || areHandsOn(body)) {
    return;
  }
  const counted = (items, words, style) => (item) => ({
    number: count(item.count),
    words,
    extra: item.at_most > item.count ? `at most ${count(item.at_most)}` : null,
    length: item.count / items[0].count,
    style,
  });
  draw(lists.refused, refused.items, counted(refused.items, " times refused, by rule ", "denied"));
  lists.would_be_refused.box.hidden = wouldBe.items.length === 0;
  draw(
    lists.would_be_refused,
    wouldBe.items,
    counted(wouldBe.items, " times it would have been refused, by shadow rule ", "shadow_denied"),
  );
  draw(lists.near, near.items, (item) => ({
    number: share(item.use),
    words: " of the limit used, of rule ",
    extra: plural(item.count, "time"),
    length: Math.min(item.use ?? 0, 1),
    style: "fill",
  }));
  const some = refused.items.length;
  const when = SPAN[span.value()];
  say(
    answer,
    some === 0
      ? `No caller was refused in the ${when}.`
      : `${plural(some, "caller")}${some === SHOWN ? " or more were" : some === 1 ? " was" : " were"} refused in the ${when}.`,
  );
  const all = [refused, wouldBe, near];
  const isExact = all.every(
    ({ sampling, items }) => sampling === 1 && items.every((item) => item.at_most === item.count),
  );
  const isEmpty = all.every(({ items }) => items.length === 0);
  const exactly = isEmpty ? "" : "All of these are counted exactly.";
  say(note, isExact ? exactly : sentence(refused.error));
}

function top(kind, reveal) {
  return ask("v1/top", {
    kind,
    window: span.value(),
    limit: SHOWN,
    rule: only?.rule,
    reveal: reveal || null,
  });
}

function draw(into, items, tell) {
  const focused = into.rows.contains(document.activeElement)
    ? document.activeElement.dataset.caller
    : null;
  into.none.hidden = items.length > 0;
  into.rows.hidden = items.length === 0;
  fill(
    into.rows,
    items.map((item) => row(item, tell(item))),
  );
  // The list is made anew every few seconds: the keyboard stays where it was.
  if (focused !== null) {
    [...into.rows.querySelectorAll("button")]
      .find((button) => button.dataset.caller === focused)
      ?.focus();
  }
}

function row(item, { number, words, extra, length, style }) {
  const tag = tagOf(item);
  const button = el(
    "button.caller",
    {
      type: "button",
      "data-caller": `${item.rule} ${item.id} ${item.override ?? ""}`,
      onclick: () => openCaller(item.rule, item.id, loadCallers),
    },
    el("span.key.mono", {}, data(keyOf(item)), tag && el("span.small.soft", {}, ` ${tag}`)),
    el("span.number", {}, number, el("span.unseen", {}, words)),
    el(
      "span.rule.small.soft",
      {},
      data(item.rule),
      item.override === null ? null : [" · ", data(item.override)],
    ),
    el("span.last.small.soft", {}, [extra, ago(item.last)].filter(Boolean).join(" · ")),
    el("span.meter", { "aria-hidden": "true" }, el(`span.${style}`, { share: length })),
  );
  return el("li", {}, button);
}
