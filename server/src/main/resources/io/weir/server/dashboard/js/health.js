// 1. Health

import { el, fill, panel, say } from "./dom.js";
import { ago, bytes, count, duration, micros, plural, rate, sentence, share } from "./format.js";
import { affected, cause, effect, showBanner, stateOf } from "./store.js";

const { answer, body } = panel("well");
const title = document.getElementById("well-title");
const node = document.getElementById("node");
const watch = document.getElementById("watch");

const tiles = {
  traffic: tile("Requests", "once each, whatever number of rules apply; last minute"),
  refused: tile("Refused", "of the requests of the last minute"),
  speed: tile("Decision time", "half are faster, and 99 of 100, last minute"),
  store: tile("Store", "where permits are counted"),
  fallback: tile("Decided without the store", "since the start, one for each rule and request"),
  rules: tile("Rules", "what they do with a request over the limit"),
  node: tile("This node", ""),
  total: tile("Since the start", "all requests, once each"),
};
Object.entries(tiles).forEach(([name, each]) => each.box.setAttribute("data-tile", name));
fill(
  body,
  el(
    "div.tiles",
    {},
    Object.values(tiles).map((each) => each.box),
  ),
);

function tile(name, hint) {
  const value = el("p.value", {}, el("span.wait", {}, "…"));
  const note = el("div.note");
  return {
    value,
    note,
    box: el("div.tile", { title: hint || null }, el("h3", {}, name), value, note),
  };
}

/** Shows an overview. */
export function showHealth(overview) {
  const { decisions, minute, node: here, reloads, rules, store, totals } = overview;
  showBanner(store, overview.time);
  showVerdict(overview);

  const all = minute.requests;
  say(tiles.traffic.value, `${rate(all / Math.max(1, overview.minute_seconds ?? 60))} /s`);
  say(tiles.traffic.note, `${count(all)} in the last minute`);

  say(tiles.refused.value, all === 0 ? "–" : share(minute.denied / all));
  fill(
    tiles.refused.note,
    lines([
      [count(minute.denied), "refused", "denied"],
      [count(minute.delayed), "delayed", "delayed"],
      ...returned503(minute),
      [count(minute.shadow_denied), "would be refused", "shadow_denied"],
    ]),
  );

  showSpeed(decisions);

  showStore(store, here.store);

  const without = totals.fallback;
  say(tiles.fallback.value, count(Object.values(without).reduce((all, n) => all + n, 0)));
  fill(
    tiles.fallback.note,
    lines(
      [
        [count(without.allow), "allowed"],
        [count(without.deny), "refused"],
        [count(without.local), "decided by the local share"],
        [count(without.error), "returned 503"],
      ].filter(([n]) => n !== "0"),
    ),
    minute.fallback === 0 ? el("p", {}, "none in the last minute") : null,
    minute.fallback > 0
      ? el("p.problem", {}, `${count(minute.fallback)} in the last minute`)
      : null,
  );

  say(tiles.rules.value, count(Object.values(rules.modes).reduce((all, n) => all + n, 0)));
  fill(tiles.rules.note, lines(modes(rules)));

  say(tiles.node.value, here.ready ? "Ready" : "Not ready");
  fill(
    tiles.node.note,
    el("p", {}, `up ${duration(overview.time - here.started)}, process ${here.pid}`),
    el("p", {}, el("bdi", {}, here.bind)),
    el("p", {}, store.nodes > 1 ? `one of ${count(store.nodes)} that share the store` : "alone with its store"),
    el("p", {}, `${plural(reloads.success, "reload")}, ${count(reloads.rejected)} rejected`),
  );

  say(tiles.total.value, count(totals.requests));
  fill(
    tiles.total.note,
    lines([
      [count(totals.allowed), "allowed", "allowed"],
      [count(totals.denied), "refused", "denied"],
      [count(totals.delayed), "delayed", "delayed"],
      ...returned503(totals),
      [count(totals.unmatched), "met no rule", "unmatched"],
      [count(totals.shadow_denied), "would be refused", "shadow_denied"],
    ]),
  );

  fill(node, `${here.version} · up ${duration(overview.time - here.started)}`);
  say(watch, watched(overview.watch));
}

/** Shows how long decisions take. */
export function showSpeed({ p50_us: half, p99_us: most }) {
  if (half === null || half === undefined) {
    fill(tiles.speed.value, "–");
    say(tiles.speed.note, "no decision in the last minute");
    return;
  }
  fill(tiles.speed.value, `${micros(half)}`, el("span.unit", {}, "p50"));
  fill(tiles.speed.note, el("b.next", {}, micros(most)), " p99");
}

/** Shows how the store has been in the last minute. */
function showStore(store, name) {
  const { calls, errors } = store.minute;
  const isDown = store.state === "down";
  const { kind, word } = stateOf(store);
  fill(tiles.store.value, el(`span.badge.big${kind ? `.${kind}` : ""}`, {}, word));
  fill(
    tiles.store.note,
    el("bdi", {}, name),
    store.median_us !== null
      ? el("p", {}, `p50 ${micros(store.median_us)}, p99 ${micros(store.p99_us)}`)
      : store.parts.length > 0
        ? el("p", {}, isDown ? "no answers" : "no answers in the last minute")
        : null,
    store.parts.map((part) => el("p", {}, el("bdi", {}, part.name), ` ${breaker(part.state)}`)),
    calls > 0
      ? el(
          errors > 0 ? "p.problem" : "p",
          {},
          `${plural(errors, "error")} of ${plural(calls, "call")} in the last minute`,
        )
      : null,
  );
}

/** Shows the state of the store as soon as an event says that it has changed. */
export function hearOfStore(store) {
  showBanner(store, Date.now());
  const { kind, word } = stateOf(store);
  fill(tiles.store.value, el(`span.badge.big${kind ? `.${kind}` : ""}`, {}, word));
}

/** The title has the state in a word, the line beside it the reasons. */
function showVerdict(overview) {
  const { store } = overview;
  const found = troubles(overview);
  const isWell = found.length === 0 && store.state === "ok";
  const state = store.state === "down" ? "outage" : isWell ? "OK" : "degraded";
  say(title, `Health: ${state}`);
  if (isWell) {
    fill(answer, "All rules decide, and the store answers.");
    return;
  }
  const rest = found.length > 0 ? ` ${sentence(found.join("; "))}` : "";
  fill(
    answer,
    ...(store.state === "ok"
      ? []
      : [`${sentence(cause(store))} ${effect(store)}`, affected(store)]),
    rest,
  );
}

function troubles({ node: here, reloads, rules, time }) {
  const found = [];
  if (!here.ready) {
    found.push("the node is not ready");
  }
  if (rules.count === 0) {
    found.push("there are no rules");
  }
  const { last_rejected: rejected } = reloads;
  if (rejected) {
    found.push(`the rules of ${ago(rejected, time)} were rejected`);
  }
  return found;
}

function breaker(state) {
  return (
    {
      closed: "circuit breaker closed",
      half_open: "answers with errors",
      open: "circuit breaker open",
    }[state] ?? state
  );
}

/** Requests that no rule could decide: only after `on_failure: error`. */
function returned503({ error }) {
  return error > 0 ? [[count(error), "returned 503", "error"]] : [];
}

/** How many rules enforce, are in shadow mode, or off. */
function modes(rules) {
  const words = { enforce: "enforce", shadow: "in shadow mode", off: "off" };
  return Object.entries(rules.modes)
    .filter(([, n]) => n > 0)
    .map(([mode, n]) => [count(n), words[mode]]);
}

function lines(rows) {
  return el(
    "ul.lines",
    {},
    rows.map(([n, words, name]) =>
      el(
        "li",
        {},
        name ? el(`span.swatch.${name}`) : null,
        el("b", { "data-number": name ?? null }, n),
        ` ${words}`,
      ),
    ),
  );
}

function watched({ sampling, missed, bytes: size }) {
  const which = sampling === 1 ? "every decision" : `1 in ${count(sampling)} decisions`;
  const lost = missed > 0 ? `; ${count(missed)} were missed` : "";
  return `Callers are recorded from ${which}${lost}. The record takes ${bytes(size)}.`;
}
