// Chooses one of very many rules by typing some of its name.

import { ask } from "./api.js";
import { data, el, fill } from "./dom.js";

const SHOWN = 12;
const PAUSE_MS = 150;

let pickers = 0;

/**
 * A field with a list below it (a combobox of WAI-ARIA).
 *
 * @param {string} label
 * @param {?string} all words for no rule in particular, or null if one must be chosen
 * @param {function(?object)} chosen called with an item of the overview, or null for all
 * @param {function(object): boolean} offers whether an item can be chosen
 */
export function picker(label, all, chosen, offers = () => true) {
  const id = `picker-${++pickers}`;
  const list = el("ul", { id, role: "listbox", "aria-label": label, hidden: true });
  const field = el("input", {
    type: "text",
    role: "combobox",
    "aria-label": label,
    "aria-expanded": "false",
    "aria-controls": id,
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: all ?? "Choose a rule",
  });
  const box = el("div.picker", {}, field, list);
  let items = [];
  let at = -1;
  let picked = null;
  let timer = null;
  let asked = 0;

  async function search(text) {
    const turn = ++asked;
    const found = await ask("v1/overview", {
      limit: SHOWN,
      q: text,
      sort: text ? "name" : "denied",
    });
    if (turn !== asked || document.activeElement !== field) {
      return;
    }
    items = found.rules.items.filter(offers);
    if (all !== null && text === "") {
      items = [null, ...items];
    }
    at = items.length > 0 && text !== "" ? 0 : -1;
    const more = found.rules.matching - found.rules.items.length;
    fill(
      list,
      items.map((item, i) =>
        el(
          "li",
          {
            role: "option",
            id: `${id}-${i}`,
            "aria-selected": "false",
            // Before the field loses its focus.
            onpointerdown: (event) => {
              event.preventDefault();
              take(i);
            },
          },
          item === null ? all : data(item.rule),
        ),
      ),
      items.length === 0
        ? el("li.none", { role: "option", "aria-disabled": "true" }, "No such rule")
        : null,
      more > 0
        ? el(
            "li.none.small",
            { role: "option", "aria-disabled": "true" },
            `${more.toLocaleString("en")} more: type to find them`,
          )
        : null,
    );
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  }

  function mark() {
    [...list.children].forEach((option, i) =>
      option.setAttribute("aria-selected", String(i === at)),
    );
    if (at >= 0) {
      field.setAttribute("aria-activedescendant", `${id}-${at}`);
      list.children[at].scrollIntoView({ block: "nearest" });
    } else {
      field.removeAttribute("aria-activedescendant");
    }
  }

  function take(i) {
    show(items[i]);
    chosen(picked);
  }

  function show(item) {
    picked = item;
    close();
  }

  function close() {
    asked++;
    clearTimeout(timer);
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    field.value = picked === null ? "" : picked.rule;
  }

  function lookFor(text) {
    clearTimeout(timer);
    timer = setTimeout(() => search(text).catch(close), PAUSE_MS);
  }

  field.addEventListener("focus", () => {
    field.select();
    lookFor("");
  });
  field.addEventListener("click", () => list.hidden && lookFor(""));
  field.addEventListener("input", () => lookFor(field.value.trim()));
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      if (list.hidden) {
        lookFor("");
      } else if (items.length > 0) {
        at = (at + steps[event.key] + items.length) % items.length;
        mark();
      }
    } else if (event.key === "Enter" && !list.hidden && at >= 0) {
      event.preventDefault();
      take(at);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });

  return { box, show };
}
