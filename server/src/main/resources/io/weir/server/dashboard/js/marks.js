// Outages and reloads on a chart: drawn, listed below it, and said of each moment.

import { data, el, fill } from "./dom.js";
import { count, duration, time } from "./format.js";
import { colour } from "./outcomes.js";

const MOST = 6; // in the list; the tip of a moment names all

/** Shades each outage and draws a tick for each reload, over what is drawn already. */
export function draw(u, { outages, reloads }, end) {
  const { ctx: pen, bbox } = u;
  const right = bbox.left + bbox.width;
  const at = (ms) => Math.min(right, Math.max(bbox.left, u.valToPos(ms, "x", true)));
  const unit = devicePixelRatio;
  pen.save();
  pen.fillStyle = colour("--bad");
  for (const outage of outages) {
    const left = at(outage.from);
    const width = Math.max(3 * unit, at(outage.to ?? end) - left);
    pen.globalAlpha = 0.2;
    pen.fillRect(left, bbox.top, width, bbox.height);
    pen.globalAlpha = 1;
    pen.fillRect(left, bbox.top, width, 3 * unit);
  }
  for (const reload of reloads) {
    const x = Math.round(at(reload.time));
    pen.fillStyle = colour(reload.result === "rejected" ? "--bad" : "--ink");
    pen.strokeStyle = pen.fillStyle;
    pen.lineWidth = unit;
    pen.setLineDash([3 * unit, 3 * unit]);
    pen.beginPath();
    pen.moveTo(x, bbox.top);
    pen.lineTo(x, bbox.top + bbox.height);
    pen.stroke();
    pen.beginPath(); // the head of the tick
    pen.moveTo(x - 5 * unit, bbox.top);
    pen.lineTo(x + 5 * unit, bbox.top);
    pen.lineTo(x, bbox.top + 7 * unit);
    pen.fill();
  }
  pen.restore();
}

/** All of them as text, the newest first. */
export function list(element, { outages, reloads }) {
  const all = [
    ...outages.map((outage) => ({ at: outage.from, kind: "outage", words: ofOutage(outage) })),
    ...reloads.map((reload) => ({ at: reload.time, kind: reload.result, words: ofReload(reload) })),
  ].sort((one, other) => other.at - one.at);
  const text = all.map(({ words }) => words).join("\n");
  element.hidden = all.length === 0;
  if (element.dataset.text !== text) {
    element.dataset.text = text;
    fill(
      element,
      all
        .slice(0, MOST)
        .map(({ kind, words }) => el("li", {}, el(`span.marker.${kind}`), data(words, "span"))),
      all.length > MOST ? el("li.soft", {}, `and ${count(all.length - MOST)} more`) : null,
    );
  }
}

/** What was between two moments, in words. */
export function within({ outages, reloads }, from, to) {
  return [
    ...outages
      .filter((outage) => outage.from < to && (outage.to ?? Infinity) >= from)
      .map(ofOutage),
    ...reloads.filter((reload) => reload.time >= from && reload.time < to).map(ofReload),
  ];
}

function ofOutage({ from, to, state, part, decisions }) {
  const name = state === "down" ? "Outage" : "Degraded";
  const span =
    to === null
      ? `since ${time(from)}`
      : `${time(from)} to ${time(to)} (${duration(Math.max(1, to - from))})`;
  const made = `${count(decisions)} rule ${decisions === 1 ? "decision" : "decisions"}`;
  return `${name} of ${part} ${span}: ${made} without it`;
}

function ofReload({ time: at, result, summary }) {
  return `${result === "rejected" ? "Reload rejected" : "Reload"} ${time(at)}: ${summary}`;
}
