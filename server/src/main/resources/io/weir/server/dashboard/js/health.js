// 1. Is it well?

import { el, fill, panel, say } from "./dom.js";
import { ago, bytes, count, duration, micros, plural, rate, share } from "./format.js";

const { answer, body } = panel("well");
const node = document.getElementById("node");
const watch = document.getElementById("watch");

const tiles = {
  traffic: tile("Requests", "once each, whatever number of rules apply; last minute"),
  refused: tile("Refused", "of the requests of the last minute"),
  speed: tile("Decision time", "half are faster, and 99 of 100, last minute"),
  store: tile("Store", "where permits are counted"),
  fallback: tile("Decided without the store", "since the start"),
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
  const trouble = troubles(overview);
  fill(
    answer,
    trouble.length === 0
      ? [el("span.badge.good", {}, "Yes"), " all rules decide, and the store answers."]
      : [el("span.badge.bad", {}, "Not quite"), ` ${trouble.join("; ")}.`],
  );

  const all = minute.requests;
  say(tiles.traffic.value, `${rate(all / Math.max(1, overview.minute_seconds ?? 60))} /s`);
  say(tiles.traffic.note, `${count(all)} in the last minute`);

  say(tiles.refused.value, all === 0 ? "–" : share(minute.denied / all));
  fill(
    tiles.refused.note,
    lines([
      [count(minute.denied), "refused", "denied"],
      [count(minute.delayed), "delayed", "delayed"],
      [count(minute.shadow_denied), "would be refused", "shadow_denied"],
    ]),
  );

  showSpeed(decisions);

  fill(tiles.store.value, storeState(store.state));
  fill(
    tiles.store.note,
    el("bdi", {}, here.store),
    store.median_us === null
      ? null
      : el("p", {}, `p50 ${micros(store.median_us)}, p99 ${micros(store.p99_us)}`),
    store.parts.map((part) => el("p", {}, el("bdi", {}, part.name), ` ${breaker(part.state)}`)),
    store.errors > 0
      ? el("p.problem", {}, `${plural(store.errors, "error")} of ${count(store.calls)} calls`)
      : null,
  );

  const without = totals.fallback;
  say(tiles.fallback.value, count(Object.values(without).reduce((all, n) => all + n, 0)));
  fill(
    tiles.fallback.note,
    lines(
      [
        [count(without.allow), "let through"],
        [count(without.deny), "refused"],
        [count(without.local), "counted here"],
        [count(without.error), "left to the proxy"],
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

/** Shows the state of the store, as an event tells it. */
export function showStore(state) {
  fill(tiles.store.value, storeState(state));
}

function troubles({ minute, node: here, reloads, rules, store, time }) {
  const found = [];
  if (!here.ready) {
    found.push("the node is not ready");
  }
  if (store.state !== "ok") {
    found.push(store.state === "down" ? "the store is down" : "the store answers only in part");
  }
  if (minute.fallback > 0) {
    found.push(
      `${plural(minute.fallback, "decision")} of the last minute had to do without the store`,
    );
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

function storeState(state) {
  const words = { ok: ["good", "Answers"], degraded: ["warn", "In part"], down: ["bad", "Down"] };
  const [kind, word] = words[state] ?? ["", state];
  return el(`span.badge.big${kind ? `.${kind}` : ""}`, {}, word);
}

function breaker(state) {
  return (
    { closed: "is used", half_open: "is being tried again", open: "is left alone (breaker open)" }[
      state
    ] ?? state
  );
}

/** How many rules enforce, only watch, or are off. */
function modes(rules) {
  const words = { enforce: "enforce", shadow: "only watch (shadow)", off: "are off" };
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
