// Makes elements. Text becomes text nodes and nothing else: no string is ever read as HTML here.

import { visible } from "./format.js";

/**
 * An element.
 *
 * @param {string} tag its name, with classes after dots: "p.soft.small"
 * @param {object} [traits] attributes; a name that begins with "on" is a listener, "share" the
 *     length of a bar (0 to 1); what is null, undefined or false is left out
 * @param {...(Node|string|number|null)} children
 */
export function el(tag, traits = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length > 0) {
    element.className = classes.join(" ");
  }
  for (const [trait, value] of Object.entries(traits ?? {})) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (trait.startsWith("on")) {
      element.addEventListener(trait.slice(2), value);
    } else if (trait === "share") {
      element.style.setProperty("--share", String(value));
    } else if (trait === "value") {
      element.value = value;
    } else {
      element.setAttribute(trait, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Text that somebody else chose: set apart from the direction of what stands around it. */
export function data(text, tag = "bdi") {
  const shown = visible(text);
  return el(tag, shown.length > 40 ? { title: shown } : {}, shown);
}

/** Puts children in the place of those that an element has. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined),
  );
}

/** Sets a text, if it is another: what did not change is not read out again. */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** The parts of a panel of the page. */
export function panel(id) {
  const section = document.getElementById(id);
  return {
    section,
    answer: section.querySelector(".answer"),
    body: section.querySelector(".body"),
  };
}
