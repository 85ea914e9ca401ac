// One caller: its history, how it stands with the rule, and what can be done for it.

import { ask } from "./api.js";
import { caseActions } from "./actions.js";
import { choices, RANGES } from "./choices.js";
import { data, el, fill, say } from "./dom.js";
import { count, date, sentence, share, wait } from "./format.js";
import { keyOf, revealed } from "./reveal.js";
import { stack } from "./stack.js";
import { moments } from "./times.js";

const EVERY_MS = 2000;

/** Opens the sheet of a caller; `closed` is called when it was closed. */
export function openCaller(rule, id, closed) {
  const title = el("h2.mono", { id: "caller-title" });
  const state = el("div.state");
  const problem = el("p.problem", { role: "alert" });
  const since = el("p.small.soft");
  const range = choices("Time range", RANGES, "5m", () => load());
  const chart = stack("Requests of this caller over time", 180);
  const actions = caseActions(rule, id, (looked) => showState(state, looked));
  const change = el("div", {}, el("h3", {}, "Change"), actions);
  const dialog = el(
    "dialog.sheet",
    { "aria-labelledby": "caller-title" },
    el(
      "header",
      {},
      el("div", {}, el("p.small.soft", {}, "Caller of ", data(rule)), title),
      el("button", { type: "button", "aria-label": "Close", onclick: () => dialog.close() }, "✕"),
    ),
    problem,
    el("h3", {}, "Now"),
    state,
    change,
    el("div.controls", {}, el("h3", {}, "Requests"), el("span.push", {}, range.row)),
    chart.box,
    since,
    el("p.small.soft", {}, "Known here as ", el("code", {}, id)),
  );

  let asked = 0;
  async function load() {
    const turn = ++asked;
    try {
      const [found] = await revealed(async (reveal) => [
        await ask("v1/callers", { rule, id, range: range.value(), reveal: reveal || null }),
      ]);
      if (turn !== asked || !dialog.isConnected) {
        return;
      }
      say(problem, "");
      fill(title, data(keyOf(found)));
      showState(state, found.state, found.no_state);
      const isShadow = found.mode === "shadow";
      change.hidden = found.no_state !== null;
      chart.box.hidden = found.since === null;
      if (found.since === null) {
        say(since, "The requests of this caller are not recorded one by one: others of this rule are busier.");
        return;
      }
      chart.set(moments(found, found.asked.length), found.step_ms, [
        layer(
          "allowed",
          isShadow ? "within the limit" : "allowed",
          "--allowed",
          found.asked.map((n, i) => (n === null ? null : n - found.refused[i])),
        ),
        isShadow
          ? layer("shadow_denied", "would be refused", "--shadow", found.refused, "slanted")
          : layer("denied", "refused", "--denied", found.refused),
      ]);
      const estimate = found.sampling > 1 ? ` ${sentence(found.error)}` : "";
      say(since, `Recorded since ${date(found.since)}.${estimate}`);
    } catch (failure) {
      if (turn === asked) {
        say(
          problem,
          failure.code === "unknown_caller"
            ? "The server no longer knows this caller: it was idle, or others were busier."
            : failure.message,
        );
      }
    }
  }

  const timer = setInterval(load, EVERY_MS);
  dialog.addEventListener("close", () => {
    clearInterval(timer);
    chart.close();
    dialog.remove();
    closed();
  });
  // A click beside the sheet closes it.
  dialog.addEventListener("pointerdown", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  load();
}

function layer(name, words, colour, values, texture = "plain") {
  return { name, words, colour, texture, style: name, values };
}

/** What the next request would be told, bucket by bucket. */
function showState(into, state, why) {
  if (!state || state.buckets.length === 0) {
    const words = why ? sentence(why) : "Nothing is counted for this caller now.";
    fill(into, el("p.soft", {}, words));
    return;
  }
  fill(
    into,
    state.known
      ? null
      : el(
          "p.small.soft",
          {},
          "Which of these limits holds depends on more than the caller: it was not seen with any of them lately.",
        ),
    state.buckets.map(bucket),
  );
}

function bucket(each) {
  const after = each.retry_after_ms;
  return el(
    "div.bucket",
    {},
    el(
      "p",
      {},
      each.override === null ? null : el("b", {}, "Override ", data(each.override), ": "),
      each.allowed
        ? el("span.badge.good", {}, "Next request is allowed")
        : el("span.badge.bad", {}, "Next request is refused"),
      each.allowed
        ? null
        : el("span.soft", {}, after < 0 ? " for good" : ` for ${wait(after)}`),
    ),
    each.limits.map((limit) =>
      el(
        "div.limit",
        {},
        el(
          "p",
          {},
          data(limit.limit),
          el("span.soft", {}, `${count(limit.remaining)} of ${count(limit.capacity)} left`),
        ),
        el(
          "span.meter",
          { role: "img", "aria-label": `${share(limit.remaining / limit.capacity)} left` },
          el("span.fill", { share: Math.max(0, Math.min(1, limit.remaining / limit.capacity)) }),
        ),
        limit.full_after_ms > 0
          ? el("p.small.soft", {}, `full again in ${wait(limit.full_after_ms)}`)
          : null,
      ),
    ),
  );
}
