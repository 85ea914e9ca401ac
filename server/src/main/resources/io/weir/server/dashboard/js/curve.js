// The chart of demand: how much would be refused, for every limit.

import uPlot from "../vendor/uplot/uPlot.esm.js";
import { amounts, axis, follow } from "./axes.js";
import { el } from "./dom.js";
import { brief } from "./format.js";
import { colour } from "./outcomes.js";
import { onTheme } from "./theme.js";

const HEIGHT = 220;
const FONT = "12px system-ui, -apple-system, Segoe UI, Roboto, sans-serif";

/*
 * Limits are drawn on a logarithmic scale, on which ten times as much is as far everywhere. The
 * chart itself is given logarithms, and its marks are 1, 2 and 5 of each power of ten.
 */

export function curve() {
  const plot = el("div.plot", { role: "img" });
  let chart = null;
  let width = 0;
  let shown = null; // { points, callers, requests, now, then }

  /** Points of the curve, the totals that they are parts of, and the limits to mark. */
  function set(next) {
    const isOther = shown === null || shown.points.length !== next.points.length;
    shown = next;
    plot.setAttribute("aria-label", next.label);
    if (isOther || chart === null) {
      rebuild();
    } else {
      chart.setData(rows());
    }
  }

  function rows() {
    const { points, callers, requests } = shown;
    return [
      points.map((point) => Math.log10(point.value)),
      points.map((point) => part(point.requests, requests)),
      points.map((point) => part(point.callers, callers)),
    ];
  }

  function rebuild() {
    chart?.destroy();
    chart = null;
    if (width === 0 || shown === null) {
      return;
    }
    chart = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        padding: [20, 22, 0, 0],
        scales: {
          x: { time: false },
          y: { range: (u, low, high) => [0, Math.max(high ?? 0, 1) * 1.05] },
        },
        axes: [
          axis({
            size: 26,
            space: 60,
            splits: (u, i, low, high) => powers(low, high, width),
            values: (u, all) => all.map((x) => brief(10 ** x)),
          }),
          amounts((percent) => `${percent} %`),
        ],
        series: [
          {},
          {
            stroke: colour("--denied"),
            fill: fade(colour("--denied")),
            width: 2,
            points: { show: false },
          },
          { stroke: colour("--accent"), width: 2, dash: [6, 4], points: { show: false } },
        ],
        hooks: { draw: [mark] },
      },
      rows(),
      plot,
    );
  }

  function mark(u) {
    const { now, then } = shown;
    const isNear = Math.abs(place(u, now) - place(u, then)) < 48 * devicePixelRatio;
    if (now !== then) {
      line(u, now, isNear ? "" : "now", colour("--soft"), [3, 3]);
    }
    line(u, then, now === then ? "as now" : "then", colour("--ink"), []);
  }

  follow(plot, (now) => {
    if (now !== width) {
      width = now;
      if (chart === null) {
        rebuild();
      } else {
        chart.setSize({ width, height: HEIGHT });
      }
    }
  });
  onTheme(rebuild);

  return { plot, set };
}

function place(u, limit) {
  return u.valToPos(Math.log10(limit), "x", true);
}

/** An upright line with words above it. */
function line(u, limit, words, ink, dash) {
  const { left, top, width, height } = u.bbox;
  const x = place(u, limit);
  if (!(x >= left - 1 && x <= left + width + 1)) {
    return;
  }
  const pen = u.ctx;
  const ratio = devicePixelRatio;
  pen.save();
  pen.strokeStyle = ink;
  pen.fillStyle = ink;
  pen.lineWidth = 2 * ratio;
  pen.setLineDash(dash.map((n) => n * ratio));
  pen.beginPath();
  pen.moveTo(x, top);
  pen.lineTo(x, top + height);
  pen.stroke();
  pen.font = FONT.replace("12px", `${12 * ratio}px`);
  pen.textAlign = "center";
  pen.fillText(words, x, top - 6 * ratio);
  pen.restore();
}

function part(n, all) {
  return all > 0 ? (100 * n) / all : 0;
}

function fade(ink) {
  return `color-mix(in srgb, ${ink} 18%, transparent)`;
}

function powers(low, high, width) {
  const units = high - low > width / 180 ? [1] : [1, 2, 5];
  const all = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const unit of units) {
      const at = power + Math.log10(unit);
      if (at >= low && at <= high) {
        all.push(at);
      }
    }
  }
  return all;
}
