// Marks in the bar which panel is being looked at: one at a time.

const LINE = 0.3; // of the window's height: the panel that lies there is the one

/** Marks the last panel that begins above the line; at the end of the page, the last one. */
export function startSpy() {
  const links = [...document.querySelectorAll(".jumps a")];
  const panels = links.map((link) => document.getElementById(link.getAttribute("href").slice(1)));
  let isWaiting = false;

  function mark() {
    isWaiting = false;
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const isAtStart = scrollY <= 2;
    const above = panels.filter((each) => each.getBoundingClientRect().top <= innerHeight * LINE);
    const at = isAtStart ? 0 : isAtEnd ? panels.length - 1 : Math.max(0, above.length - 1);
    links.forEach((link, i) =>
      i === at ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"),
    );
  }

  function soon() {
    if (!isWaiting) {
      isWaiting = true;
      requestAnimationFrame(mark);
    }
  }

  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  new ResizeObserver(soon).observe(document.body);
  mark();
}
