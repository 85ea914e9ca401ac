// A chart of amounts over time, one on top of the other, with a legend that hides and shows them.

import uPlot from "../vendor/uplot/uPlot.esm.js";
import { amounts, axis, follow } from "./axes.js";
import { data, el, fill, say } from "./dom.js";
import { count, date, minute, rate, time } from "./format.js";
import { draw, list, within } from "./marks.js";
import { paint } from "./outcomes.js";
import { onTheme } from "./theme.js";

/*
 * uPlot stacks nothing by itself. Each layer is given the sum of itself and all layers below it,
 * and the tallest is drawn first, so that each covers all of the one before it but its own part.
 */

/**
 * @param {string} label what it shows, for who does not see it
 * @param {number} height
 */
export function stack(label, height) {
  const plot = el("div.plot", {
    tabindex: 0,
    role: "group",
    "aria-label": `${label}. Left and right arrow keys read it out.`,
  });
  const tip = el("div.tip", { hidden: true });
  const spoken = el("p.unseen", { "aria-live": "polite" });
  const legend = el("ul.legend", { "aria-label": "Legend" });
  const notes = el("ul.marks", { "aria-label": "Outages and reloads in this time", hidden: true });
  const box = el("figure.chart", {}, plot, legend, notes, spoken);
  const hidden = new Set();
  let chart = null;
  let width = 0;
  let shown = null; // { times, step, layers, marks }
  let shape = "";
  let at = null;

  /**
   * Layers from the bottom up: { name, words, colour, texture, values, isBeside }. Null is before
   * the server began. Marks are times that explain a bend: { outages, reloads }, as the server has them.
   */
  function set(times, step, layers, marks = { outages: [], reloads: [] }) {
    shown = { times, step, layers, marks };
    list(notes, marks);
    const now = layers.map((layer) => `${layer.name}${layer.colour}`).join("\n");
    if (now !== shape) {
      shape = now;
      drawLegend();
      rebuild();
    } else {
      chart?.setData(stacked());
    }
    total();
    if (at !== null) {
      point(at);
    }
  }

  function stacked() {
    const { times, step, layers } = shown;
    const sums = new Array(times.length).fill(0);
    const piled = visible(layers, false).map((layer) =>
      layer.values.map((value, i) => {
        sums[i] += value ?? 0;
        return value === null ? null : (sums[i] * 1000) / step;
      }),
    );
    const beside = visible(layers, true).map((layer) =>
      layer.values.map((value) => (value === null ? null : (value * 1000) / step)),
    );
    const rows = [...piled.reverse(), ...beside];
    // The last slot is as wide as the others: it ends where the next would begin.
    rows.forEach((row) => row.push(row.at(-1) ?? null));
    return [[...times, (times.at(-1) ?? 0) + step], ...rows];
  }

  /** Those that lie on each other, or those that are lines beside them: parts of what is there. */
  function visible(layers, isBeside) {
    return layers.filter(
      (layer) => !hidden.has(layer.name) && (layer.isBeside ?? false) === isBeside,
    );
  }

  function rebuild() {
    chart?.destroy();
    chart = null;
    if (width === 0 || shown === null) {
      return;
    }
    const layers = [...visible(shown.layers, false).reverse(), ...visible(shown.layers, true)];
    chart = new uPlot(
      {
        width,
        height,
        ms: 1,
        legend: { show: false },
        cursor: {
          y: false,
          points: { show: false },
          drag: { setScale: false, x: false, y: false },
        },
        padding: [8, 28, 0, 0], // half of the last time stands beyond it
        scales: { y: { range: (u, low, high) => [0, Math.max(high ?? 0, 1) * 1.08] } },
        axes: [
          axis({
            size: 26,
            space: 90,
            values: (u, splits) => splits.map(shown.step < 10_000 ? time : minute),
          }),
          amounts(rate),
        ],
        series: [
          {},
          ...layers.map((layer) => {
            return {
              fill: layer.isBeside ? undefined : paint(layer.colour, layer.texture),
              stroke: paint(layer.colour, "plain"),
              width: layer.isBeside ? 2 : 1 / devicePixelRatio,
              points: { show: false },
              paths: uPlot.paths.stepped({ align: 1 }),
            };
          }),
        ],
        hooks: {
          draw: [(u) => draw(u, shown.marks, shown.times.at(-1) + shown.step)],
          setCursor: [
            (u) =>
              u.cursor.idx === null || u.cursor.left < 0
                ? unpoint()
                : point(Math.min(u.cursor.idx, shown.times.length - 1)),
          ],
        },
      },
      stacked(),
      plot,
    );
    chart.over.append(tip);
  }

  function drawLegend() {
    fill(
      legend,
      listed().map((layer) => {
        const swatch = el(`span.swatch.${layer.style ?? "kind"}`);
        if (!layer.style) {
          swatch.style.setProperty("--kind", `var(${layer.colour})`);
        }
        return el(
          "li",
          {},
          el(
            "button.plain",
            {
              type: "button",
              "aria-pressed": String(!hidden.has(layer.name)),
              title: "Hide or show",
              onclick: (event) => toggle(layer.name, event.currentTarget),
            },
            swatch,
            data(layer.words, "bdi"),
            el("b", { "data-total": layer.name }),
          ),
        );
      }),
    );
  }

  /** Outcomes as they lie on each other; others, the first first. */
  function listed() {
    return shown.layers[0]?.style ? [...shown.layers].reverse() : shown.layers;
  }

  function toggle(name, button) {
    if (!hidden.delete(name)) {
      hidden.add(name);
    }
    button.setAttribute("aria-pressed", String(!hidden.has(name)));
    rebuild();
  }

  function total() {
    const rows = legend.querySelectorAll("b");
    listed().forEach((layer, i) => {
      say(rows[i], count(layer.values.reduce((sum, value) => sum + (value ?? 0), 0)));
    });
  }

  function point(i) {
    at = i;
    const { times, step, layers, marks } = shown;
    if (times[i] === undefined) {
      unpoint();
      return;
    }
    const rows = [...layers]
      .reverse()
      .filter((layer) => layer.values[i] !== null && layer.values[i] > 0);
    fill(
      tip,
      el("b", {}, step < 60_000 ? time(times[i]) : date(times[i])),
      rows.map((layer) => el("p", {}, data(layer.words), el("span", {}, count(layer.values[i])))),
      rows.length === 0
        ? el(
            "p.soft",
            {},
            layers.some((layer) => layer.values[i] !== null) ? "nothing" : "not running yet",
          )
        : null,
      within(marks, times[i], times[i] + step).map((words) => el("p.mark", {}, words)),
    );
    tip.hidden = false;
    const left = chart.valToPos(times[i], "x");
    tip.classList.toggle("flip", left > chart.over.clientWidth / 2);
    tip.style.left = `${left}px`;
  }

  function unpoint() {
    at = null;
    tip.hidden = true;
  }

  plot.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (!(event.key in steps) || chart === null) {
      return;
    }
    event.preventDefault();
    const last = shown.times.length - 1;
    const next = Math.min(last, Math.max(0, (at ?? last + 1) + steps[event.key]));
    chart.setCursor({ left: chart.valToPos(shown.times[next], "x"), top: 0 });
    point(next);
    say(
      spoken,
      [...tip.children]
        .map((row) =>
          [...(row.children.length ? row.children : [row])]
            .map((part) => part.textContent)
            .join(" "),
        )
        .join(", "),
    );
  });
  plot.addEventListener("blur", unpoint);
  follow(plot, (now) => {
    if (chart === null || now !== width) {
      width = now;
      if (chart === null) {
        rebuild();
      } else {
        chart.setSize({ width, height });
      }
    }
  });
  const forget = onTheme(rebuild);

  /** It is no longer shown. */
  function close() {
    forget();
    chart?.destroy();
  }

  return { box, set, close };
}
