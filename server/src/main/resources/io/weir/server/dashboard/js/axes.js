// What the axes of all charts have in common.

import { brief } from "./format.js";
import { colour } from "./outcomes.js";

const FONT = "12px system-ui, -apple-system, Segoe UI, Roboto, sans-serif";

/** An axis with these marks. */
export function axis(more) {
  return {
    stroke: colour("--soft"),
    font: FONT,
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { show: false },
    ...more,
  };
}

/** The axis of amounts: from nothing up, with few marks. */
export function amounts(format = brief) {
  return axis({
    size: 44,
    gap: 6,
    splits: (u, axisIndex, low, high) => marks(high),
    values: (u, splits) => splits.map(format),
  });
}

/** 0, 20, 40, 60 for 71: about four steps of 1, 2, 2.5 or 5. */
export function marks(high) {
  const raw = high / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((unit) => unit * power >= raw * 0.999);
  const all = [];
  for (let at = 0; at <= high * 1.0001; at += step) {
    all.push(at);
  }
  return all;
}

/** Calls `resized` with the width of an element, now and whenever it changes. */
export function follow(element, resized) {
  new ResizeObserver((entries) => {
    const width = Math.floor(entries[0].contentRect.width);
    if (width > 0) {
      resized(width);
    }
  }).observe(element);
}
