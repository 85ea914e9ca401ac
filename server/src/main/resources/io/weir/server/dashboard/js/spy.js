// Marks in the bar which panel is being looked at.

const BAND = "-20% 0px -70% 0px"; // the panel that crosses this part of the window

export function startSpy() {
  const links = new Map(
    [...document.querySelectorAll(".jumps a")].map((link) => [
      link.getAttribute("href").slice(1),
      link,
    ]),
  );
  const spy = new IntersectionObserver(
    (entries) =>
      entries.forEach((entry) => {
        const link = links.get(entry.target.id);
        if (entry.isIntersecting) {
          link.setAttribute("aria-current", "true");
        } else {
          link.removeAttribute("aria-current");
        }
      }),
    { rootMargin: BAND },
  );
  links.forEach((link, id) => spy.observe(document.getElementById(id)));
}
