// 5. What if

import { ask } from "./api.js";
import { choices, RANGES } from "./choices.js";
import { copyOf } from "./copy.js";
import { curve } from "./curve.js";
import { el, fill, panel, say } from "./dom.js";
import { brief, count, plural, sentence, share, visible } from "./format.js";
import { areHandsOn } from "./hands.js";
import { picker } from "./picker.js";

const PAUSE_MS = 200;
const BUSY_MS = 500;
const MOST_TRIES = 20; // while the server has others to answer
const FRESH_MS = 10_000; // demand grows while somebody looks
const REST = 20; // times as long as an answer took, so that who only looks costs the server little
const LENGTHS = { "5m": "5 minutes", "1h": "hour", "24h": "24 hours" };
const INTRODUCTION = "Another limit, tried on the recorded demand of callers.";

const { answer, body } = panel("whatif");
const canBeTried = (each) => each.no_what_if === null;
const rule = picker(
  "Rule to try another limit for",
  null,
  (item) => item && chooseRule(item),
  canBeTried,
);
const range = choices("Recorded demand of", [["", "Auto"], ...RANGES], "", () => load());
const part = el("select", {
  "aria-label": "Which limits of the rule",
  onchange: () => choosePart(),
});
const partBox = el("label.part", { hidden: true }, "Limits ", part);
const slider = el("input", {
  type: "range",
  min: 0,
  max: 0,
  step: 1,
  id: "limit-slider",
  "aria-label": "Limit",
  disabled: true,
});
const field = el("input.mono", {
  type: "text",
  "aria-label": "Limit in words, such as 50 per second",
  spellcheck: "false",
  disabled: true,
});
const burst = el("input", {
  type: "number",
  min: 0,
  placeholder: "auto",
  title: "Without it, in proportion to what it is now",
  "aria-label": "Burst",
  disabled: true,
});
const chart = curve();
const cards = {
  requests: card("Requests that would be refused"),
  callers: card("Callers that would be refused"),
};
const cardRow = el("div.cards", { role: "status" }, cards.requests.box, cards.callers.box);
const error = el("p.small.soft.after");
const snippet = el("pre.snippet", { tabindex: 0, "aria-label": "This limit, as it is written in the file" });
const copied = el("span.small.soft", { role: "status" });
const copy = el(
  "button",
  {
    type: "button",
    onclick: async () =>
      say(copied, (await copyOf(snippet)) ? "Copied." : "Select it and press Ctrl+C."),
  },
  "Copy the limit",
);
const problem = el("p.problem", { role: "alert" });
const result = el(
  "div.try",
  { hidden: true },
  el(
    "div.aim",
    {},
    el(
      "div.ends",
      {},
      el("span.small.soft", {}, "stricter"),
      slider,
      el("span.small.soft", {}, "looser"),
    ),
    el("div.exact", {}, el("label", {}, "Limit ", field), el("label", {}, "Burst ", burst)),
    cardRow,
    el("div.export", {}, snippet, el("p", {}, copy, " ", copied)),
  ),
  el(
    "figure",
    {},
    el(
      "figcaption.small.soft",
      {},
      el("span.swatch.denied"),
      " requests ",
      el("span.dash"),
      " callers that would be refused, by limit",
    ),
    chart.plot,
    error,
  ),
);
const empty = el(
  "p.empty",
  {},
  "Choose a rule to see what another limit would have done to its recorded demand.",
);

let item = null;
let overrides = []; // of the rule that is chosen: all of them
let points = [];
let answered = null;
let asked = 0;
let isAsking = false;
let isEdited = false; // and not yet asked for, or wrong
let staleAt = 0;
let timer = null;

fill(body, el("div.controls", {}, rule.box, partBox, range.row), problem, empty, result);
say(answer, INTRODUCTION);
slider.addEventListener("input", () => {
  const point = points[Number(slider.value)];
  field.value = plainRate(point.limit);
  aim(point);
  soon();
});
field.addEventListener("change", () => load());
field.addEventListener("input", edit);
burst.addEventListener("input", () => {
  edit();
  soon();
});

function edit() {
  isEdited = true;
  hold(true);
}

function card(name) {
  const value = el("p.value");
  const note = el("p.small.soft");
  return { value, note, box: el("div.tile", {}, el("h3", {}, name), value, note) };
}

/** The first rule that there is, unless one was chosen; that one again, on what was asked since. */
export function startWhatIf({ rules }) {
  const first = item ?? rules.items.find(canBeTried);
  if (item === null && first) {
    chooseRule(first);
  } else if (item !== null && isStale() && !isEdited && !areHandsOn(body)) {
    cardRow.setAttribute("aria-live", "off"); // nobody wants it read out
    inquireAll();
  }
}

function isStale() {
  return !isAsking && Date.now() >= staleAt;
}

/** Tries limits for a rule of the overview. */
export function chooseRule(chosen) {
  item = chosen;
  rule.show(chosen);
  showParts(chosen.overrides);
  if (chosen.more_overrides > 0) {
    loadParts(chosen);
  }
  choosePart();
}

/** The rule's own limits, and those of its overrides. */
function showParts(all) {
  overrides = all;
  const names = all.map((each) => each.name);
  const own = item.limits.length > 0 ? [el("option", { value: "" }, "of the rule itself")] : [];
  fill(
    part,
    own,
    names.map((name) => el("option", { value: name }, "override ", visible(name))),
  );
  partBox.hidden = names.length === 0;
}

async function loadParts(chosen) {
  try {
    const found = await ask("v1/overview", { rule: chosen.rule, limit: 1, overrides: 1000 });
    const all = found.rules.items[0]?.overrides ?? [];
    if (item === chosen && all.length > 0) {
      const picked = part.value;
      showParts(all);
      part.value = picked;
    }
  } catch {
    // the first of them can still be chosen
  }
}

/** Tries limits in place of those that are chosen: the rule's own, or an override's. */
function choosePart() {
  const limits = overrides.find((each) => each.name === part.value)?.limits ?? item.limits;
  points = [];
  answered = null;
  isEdited = false;
  result.classList.add("unanswered"); // what it shows is of another limit
  allow(false);
  burst.value = "";
  burst.parentElement.hidden = !hasSize(limits[0] ?? "");
  field.value = plainRate(limits[0] ?? "");
  load();
}

/** Limits can be tried once it is known which there are. */
function allow(isKnown) {
  for (const control of [slider, field, burst]) {
    control.disabled = !isKnown;
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(load, PAUSE_MS);
}

function load() {
  if (item !== null) {
    cardRow.removeAttribute("aria-live");
    hold(true);
    inquireAll();
  }
}

/** One question at a time: when the slider moves on, the next asks for where it is by then. */
async function inquireAll() {
  clearTimeout(timer);
  timer = null;
  asked++;
  if (isAsking) {
    return;
  }
  isAsking = true;
  try {
    for (let turn = 0; turn !== asked; ) {
      turn = asked;
      await inquire(turn);
    }
  } finally {
    isAsking = false;
  }
}

async function inquire(turn) {
  const began = Date.now();
  const limit = field.value.trim();
  const size = burst.value;
  try {
    const found = await patiently(turn, {
      rule: item.rule,
      override: part.value,
      limit,
      burst: size,
      range: range.value(),
    });
    if (turn !== asked) {
      return;
    }
    const isOther = answered !== null && answered.now.limit !== found.now.limit;
    if (isOther && burst.value === "" && field.value.trim() === plainRate(answered.now.limit)) {
      field.value = plainRate(found.now.limit); // it was as the rule had it, and is again
      load();
    }
    answered = found;
    isEdited = field.value.trim() !== limit || burst.value !== size; // while it was on its way
    hold(turn !== asked || isEdited);
    say(problem, "");
    draw();
  } catch (failure) {
    if (turn === asked) {
      say(problem, failure.message); // and what is shown for copying is of another limit
      empty.hidden = answered !== null;
      result.hidden = answered === null;
    }
  } finally {
    const isNothing = answered !== null && answered.then.requests.total === 0;
    staleAt = Date.now() + Math.max(isNothing ? 0 : FRESH_MS, REST * (Date.now() - began));
  }
}

async function patiently(turn, parameters) {
  for (let tries = 1; ; tries++) {
    try {
      return await ask("v1/what-if", parameters);
    } catch (failure) {
      if (failure.status !== 503 || tries === MOST_TRIES || turn !== asked) {
        throw failure;
      }
      await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
    }
  }
}

function draw() {
  const { now, then, recorded } = answered;
  const isNothing = then.requests.total === 0;
  result.classList.remove("unanswered");
  empty.hidden = !isNothing;
  result.hidden = isNothing;
  if (isNothing) {
    say(empty, "No demand is recorded for this limit yet.");
    return;
  }
  const length = LENGTHS[answered.range];
  say(answer, length ? `${INTRODUCTION.slice(0, -1)} in the last ${length}.` : INTRODUCTION);
  points = answered.curve;
  slider.max = String(points.length - 1);
  allow(true);
  const isMoving = timer !== null;
  if (!isMoving) {
    slider.value = String(nearest(then.value));
  }
  slider.setAttribute("aria-valuetext", visible(then.limit));
  tell(cards.requests, then.requests, now.requests, "request");
  tell(cards.callers, then.callers, now.callers, "caller");
  chart.set({
    points,
    requests: then.requests.total,
    callers: then.callers.total,
    now: now.value,
    then: then.value,
    label: `Share of requests and callers that would be refused, for limits from ${points[0]?.limit} to ${points.at(-1)?.limit}. With ${visible(then.limit)}: ${share(then.requests.refused / then.requests.total)} of the requests.`,
  });
  fill(
    error,
    `${sentence(answered.error)} `,
    recorded.share_of_demand === 1 && answered.sampling === 1
      ? `All of it is recorded, of ${plural(recorded.callers, "caller")}.`
      : `The record holds ${count(recorded.callers)} callers of about ${count(recorded.of)}, with ${share(recorded.share_of_demand)} of the demand${answered.sampling > 1 ? " that was looked at" : ""}.`,
  );
  if (snippet.textContent !== answered.snippet) {
    fill(snippet, answered.snippet);
    say(copied, "");
  }
}

/** A limit is not offered for copying while the answer is on its way. */
function hold(isComing) {
  copy.disabled = isComing;
  snippet.setAttribute("aria-busy", String(isComing));
}

/** While the slider moves: what the curve says, until the server has said it with its error. */
function aim(point) {
  hold(true);
  slider.setAttribute("aria-valuetext", visible(point.limit));
  if (answered === null) {
    return;
  }
  const { requests, callers } = answered.then;
  say(cards.requests.value, share(point.requests / requests.total));
  say(cards.callers.value, share(point.callers / callers.total));
}

function tell(into, then, now, one) {
  const part = (n) => share(then.total > 0 ? n / then.total : 0);
  fill(
    into.value,
    part(then.refused),
    then.low === then.high ? null : el("span.unit", {}, `${part(then.low)} to ${part(then.high)}`),
  );
  fill(
    into.note,
    `${brief(then.refused)} of ${plural(then.total, one)}; now `,
    el("b", {}, now.total > 0 ? share(now.refused / now.total) : "–"),
    ` (${brief(now.refused)})`,
  );
}

/** "10 per second" of "token-bucket 10 per second, burst 100". */
function plainRate(limit) {
  return /\d+ per [^,]+/.exec(limit)?.[0] ?? limit;
}

/** Whether it has a bucket or a queue of some size. */
function hasSize(limit) {
  return /^(\d|leaky-bucket )/.test(limit);
}

function nearest(value) {
  let best = 0;
  points.forEach((point, i) => {
    if (Math.abs(Math.log(point.value / value)) < Math.abs(Math.log(points[best].value / value))) {
      best = i;
    }
  });
  return best;
}
