// One rule in the table of all.

import { data, el } from "./dom.js";
import { flag } from "./flags.js";
import { brief, count, sentence, share, visible } from "./format.js";
import { showRule } from "./traffic.js";
import { chooseRule } from "./whatif.js";

/**
 * @param {object} item a rule of the overview
 * @param {string[]} labels the words above the columns, which a phone has no room for
 */
export function row(item, labels) {
  const isShadow = item.mode === "shadow";
  const { totals, minute, keys } = item;
  const refused = isShadow ? totals.shadow_denied : totals.denied;
  const lately = isShadow ? minute.shadow_denied : minute.denied;
  const outcome = isShadow ? "shadow_denied" : "denied";
  const cells = [
    el(
      "td",
      {},
      el(
        "p.name",
        {},
        el(
          "button.link",
          {
            type: "button",
            "data-name": `show ${item.rule}`,
            title: "Show it in the chart above",
            onclick: () => go("traffic", () => showRule(item)),
          },
          data(item.rule),
        ),
        modeBadge(item.mode),
      ),
      el(
        "p.small.soft",
        {},
        item.mode === "enforce" ? "enforced · " : null,
        item.per.length > 0 ? ["per ", data(item.per.join(", "))] : "one bucket for all",
        item.place
          ? [" · ", el("span", { title: visible(item.place) }, data(lastPart(item.place)))]
          : null,
      ),
    ),
    el(
      "td",
      {},
      item.limits.map((limit) => el("p", {}, data(limit))),
      overrides(item),
      item.no_what_if === null ? whatIf(item) : el("p.small.soft", {}, sentence(item.no_what_if)),
    ),
    el(
      "td.number",
      {},
      count(totals.allowed),
      el("p.small.soft", {}, `${brief(minute.allowed)} / min`),
    ),
    el(
      "td.number",
      {},
      count(refused),
      el("p.small.soft", {}, `${brief(lately)} / min`),
      isShadow ? el("p.small.soft", {}, "would be refused") : null,
      returned503(item),
    ),
    el(
      "td.number",
      {},
      share(item.refused_share),
      el(
        "span.meter",
        { "aria-hidden": "true" },
        el(`span.${outcome}`, { share: item.refused_share ?? 0 }),
      ),
    ),
    el(
      "td.number",
      {},
      callers(keys),
      el(
        "p.small.soft",
        {},
        keys.distinct > 0
          ? `${share(Math.min(1, keys.refused / keys.distinct))} ${isShadow ? "would be refused" : "refused"}`
          : "",
      ),
    ),
    el(
      `td.flags${item.flags.length === 0 ? ".none" : ""}`,
      {},
      item.flags.length === 0
        ? el("span.soft", {}, "–")
        : item.flags.map((name) => flagBadge(name, isShadow)),
    ),
  ];
  cells.forEach((cell, i) => cell.setAttribute("data-label", labels[i]));
  return el("tr", { "data-rule": item.rule }, cells);
}

/** How many of the refused requests got a 503, since the store could not be asked. */
function returned503({ on_failure: policy, totals }) {
  return policy === "error" && totals.fallback > 0
    ? el("p.small.soft", {}, `${count(totals.fallback)} of them returned 503`)
    : null;
}

/** The limits that replace the rule's own for some of its requests. */
function overrides({ overrides: some, more_overrides: more }) {
  if (some.length === 0) {
    return null;
  }
  return el(
    "ul.overrides.small",
    { "aria-label": "Overrides" },
    some.map((each) =>
      el("li", {}, el("b", {}, data(each.name)), " ", each.limits.map((limit) => data(limit))),
    ),
    more > 0 ? el("li.soft", {}, `and ${count(more)} more`) : null,
  );
}

function whatIf(item) {
  return el(
    "button.link.small",
    {
      type: "button",
      "data-name": `if ${item.rule}`,
      onclick: () => go("whatif", () => chooseRule(item)),
    },
    "What if",
    el("span.unseen", {}, " for ", data(item.rule)),
  );
}

/** How many callers there were: about, or at least where not all decisions were looked at. */
function callers({ distinct, error, sampling }) {
  const sign = sampling > 1 ? "≥ " : distinct > 50 ? "≈ " : "";
  const title =
    sampling > 1
      ? `At least: one decision in ${sampling} was looked at in this time`
      : `± ${share(error)}`;
  return el("span", { title }, `${sign}${brief(distinct)}`);
}

/** "rules.yaml:3" of "/etc/weir/rules.yaml:3". */
function lastPart(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

function go(id, then) {
  then();
  const section = document.getElementById(id);
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function modeBadge(mode) {
  return mode === "enforce"
    ? null
    : el(`span.badge${mode === "shadow" ? ".shadow" : ""}`, {}, mode);
}

function flagBadge(name, isShadow) {
  const { words, why, kind } = flag(name, isShadow);
  return el(
    `span.badge${kind ? `.${kind}` : ""}`,
    { title: why },
    words,
    el("span.unseen", {}, ` ${why}`),
  );
}
