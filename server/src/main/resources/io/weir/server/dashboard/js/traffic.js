// 2. Traffic

import { ask } from "./api.js";
import { choices, RANGES } from "./choices.js";
import { el, fill, panel, say } from "./dom.js";
import { count, rate, share } from "./format.js";
import { kind, OUTCOMES, REQUEST_OUTCOMES } from "./outcomes.js";
import { picker } from "./picker.js";
import { stack } from "./stack.js";
import { moments } from "./times.js";

const COARSE_SECONDS = 5; // the longer ranges change slowly
const TOP = 8;

const { answer, body } = panel("traffic");
const range = choices("Time range", RANGES, "5m", () => loadTraffic());
const view = choices(
  "Show by",
  [
    ["outcome", "By outcome"],
    ["rule", "By rule"],
  ],
  "outcome",
  arrange,
);
const measure = choices(
  "Of",
  [
    ["all", "All decisions"],
    ["refused", "Refused only"],
    ["would", "Would be refused"],
  ],
  "all",
  () => draw(),
);
const rule = picker("Rule of the chart", "All rules", (item) => showRule(item));
const chart = stack("Requests over time", 260);
const basis = el("p.small.soft");
const empty = el("p.empty", { hidden: true });

let only = null;
let example = null; // a request to try
let series = null; // the last answer
let asked = 0;
let isLoading = false;
let seconds = 0;

fill(
  body,
  el(
    "div.controls",
    {},
    range.row,
    view.row,
    rule.box,
    measure.row,
    el("span.push.small.soft", {}, "per second"),
  ),
  empty,
  chart.box,
  basis,
);
arrange("outcome", false);

function arrange(value, load = true) {
  rule.box.hidden = value === "rule";
  measure.row.hidden = value !== "rule";
  if (load) {
    series = null;
    loadTraffic();
  }
}

/** Shows one rule only, or all (null). */
export function showRule(item) {
  only = item;
  rule.show(item);
  view.press("outcome");
  series = null;
  loadTraffic();
}

/** Tells where requests are to be sent. */
export function showGateway({ gateway } = {}) {
  const found = gateway
    ? `curl -i http${gateway.tls ? "s" : ""}://${location.hostname}:${gateway.port}/`
    : null;
  if (found !== example) {
    example = found;
    if (series) {
      describe();
    }
  }
}

/** Goes to the next range. */
export function turnRange() {
  const all = RANGES.map(([value]) => value);
  range.press(all[(all.indexOf(range.value()) + 1) % all.length]);
}

/** Asks for the whole series. */
export async function loadTraffic() {
  const turn = ++asked;
  const by = view.value();
  const parameters = { range: range.value() };
  if (by === "rule") {
    Object.assign(parameters, { by: "rule", top: TOP });
  } else if (only !== null) {
    parameters.rule = only.rule;
  }
  let answered;
  isLoading = true;
  try {
    answered = await ask("v1/series", parameters);
  } catch (failure) {
    if (turn === asked) {
      say(answer, failure.message);
    }
    return;
  } finally {
    isLoading = false;
  }
  if (turn === asked) {
    series = { by, rule: parameters.rule ?? null, ...answered };
    draw();
  }
}

/**
 * A second has passed. What happened in it is asked for with all before it, and not taken from the
 * event: the answer is exact to the last decision, and would count some of them twice beside it.
 */
export function tick() {
  seconds++;
  if (!isLoading && (range.value() === "5m" || seconds % COARSE_SECONDS === 0)) {
    loadTraffic();
  }
}

function draw() {
  if (series === null) {
    return;
  }
  const layers = series.by === "rule" ? byRule() : byOutcome();
  chart.set(moments(series, layers[0]?.values.length ?? 0), series.step_ms, layers, {
    outages: series.outages,
    reloads: series.reloads,
  });
  describe();
}

/** Of all requests; or of one rule's decisions, where only it is shown. */
function outcomes() {
  return series.by === "rule" || series.rule !== null ? OUTCOMES : REQUEST_OUTCOMES;
}

function byOutcome() {
  return outcomes().map((outcome) => ({
    ...outcome,
    style: outcome.name,
    values: series[outcome.name],
  }));
}

/** The busiest at the bottom. */
function byRule() {
  const names = {
    all: OUTCOMES.map(({ name }) => name),
    refused: ["denied"],
    would: ["shadow_denied"],
  }[measure.value()];
  return series.rules.map((each, i) => ({
    name: each.rule ?? "\u0000others",
    words: each.rule ?? "all others",
    colour: each.rule === null ? kind(Infinity) : kind(i),
    texture: "plain",
    values: each.allowed.map((first, at) =>
      first === null ? null : names.reduce((sum, name) => sum + each[name][at], 0),
    ),
  }));
}

function describe() {
  const parts = series.by === "rule" ? series.rules : [series];
  const sums = Object.fromEntries(
    outcomes().map(({ name }) => [name, parts.reduce((sum, part) => sum + total(part[name]), 0)]),
  );
  const all = outcomes().reduce((sum, { name, isBeside }) => sum + (isBeside ? 0 : sums[name]), 0);
  const any = all > 0;
  empty.hidden = any;
  chart.box.hidden = !any;
  basis.hidden = !any || outcomes() === REQUEST_OUTCOMES;
  if (!any) {
    say(answer, "Nothing in this time.");
    fill(
      empty,
      only === null
        ? "No traffic yet. Try a request against the gateway or the service:"
        : "No request met this rule in this time.",
      ...(only === null && example !== null ? [el("br"), el("code", {}, example)] : []),
    );
    return;
  }
  // A rule that came later has fewer slots than the others.
  const slots = parts.map((part) => part.allowed.filter((value) => value !== null).length);
  const seconds = (Math.max(...slots) * series.step_ms) / 1000;
  const refused = sums.denied === 0 ? "none was refused" : `${share(sums.denied / all)} refused`;
  const errors = sums.error > 0 ? `; ${count(sums.error)} returned 503` : "";
  const would =
    sums.shadow_denied > 0 ? `; ${share(sums.shadow_denied / all)} would be refused` : "";
  const what = outcomes() === REQUEST_OUTCOMES ? "requests" : "decisions";
  const pace = rate(all / Math.max(seconds, 1));
  say(answer, `${count(all)} ${what}, ${pace} a second; ${refused}${errors}${would}.`);
  say(
    basis,
    series.by === "rule"
      ? "Decisions of each rule: a request counts once in every rule that applied to it, so the stack may be higher than the number of requests."
      : "Decisions of this rule. A request that another rule refused is not among those that this rule allowed.",
  );
}

function total(values) {
  return values.reduce((sum, value) => sum + (value ?? 0), 0);
}
