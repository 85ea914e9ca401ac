"use strict";
// Chooses a rule, and reads the charts out under the pointer or the arrow keys.
(() => {
  document.documentElement.classList.add("js");
  const charts = JSON.parse(document.getElementById("data").textContent);
  const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const two = (n) => String(n).padStart(2, "0");

  const moment = (millis, span) => {
    const t = new Date(millis);
    const day = t.getUTCFullYear() + "-" + two(t.getUTCMonth() + 1) + "-" + two(t.getUTCDate());
    if (span % 86400000 === 0) return day;
    const clock = two(t.getUTCHours()) + ":" + two(t.getUTCMinutes());
    if (span % 60000 === 0) return day + " " + clock;
    const seconds = clock + ":" + two(t.getUTCSeconds());
    return day + " " + (span % 1000 === 0 ? seconds : seconds + "." + String(t.getUTCMilliseconds()).padStart(3, "0"));
  };

  for (const svg of document.querySelectorAll("svg[data-chart]")) {
    const id = svg.dataset.chart;
    const chart = charts[id];
    const readout = document.querySelector('[data-readout="' + id + '"]');
    const cursor = svg.querySelector(".cursor");
    if (!chart || chart.bands.length === 0) continue;
    const spans = chart.bands[0].counts.length;
    const hint = "Point at the chart, or use the arrow keys, to read it.";
    let at = -1;
    const show = (i) => {
      at = Math.max(-1, Math.min(spans - 1, i));
      cursor.setAttribute("x", at < 0 ? -2 : at);
      readout.textContent = at < 0 ? hint : moment(chart.start + at * chart.span, chart.span) + " UTC: " +
        chart.bands.map((band) => band.name + " " + count(band.counts[at])).join(", ");
    };
    const under = (event) => {
      const box = svg.getBoundingClientRect();
      show(Math.floor((event.clientX - box.left) / box.width * spans));
    };
    svg.setAttribute("tabindex", "0");
    show(-1);
    svg.addEventListener("pointermove", under);
    svg.addEventListener("pointerdown", under);
    svg.addEventListener("pointerleave", () => show(-1));
    svg.addEventListener("blur", () => show(-1));
    svg.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: spans - 1, PageUp: at - 10, PageDown: at + 10 };
      if (event.key in moves) {
        event.preventDefault();
        show(Math.max(0, moves[event.key]));
      } else if (event.key === "Escape") {
        show(-1);
      }
    });
  }

  const chooser = document.getElementById("rule");
  if (chooser) {
    const choose = () => {
      for (const part of document.querySelectorAll("[data-rule]")) part.hidden = part.dataset.rule !== chooser.value;
      for (const card of document.querySelectorAll("[data-card]")) {
        card.hidden = chooser.value !== "all" && card.dataset.card !== chooser.value;
      }
    };
    chooser.addEventListener("change", choose);
    choose();
  }
})();
