// The links at the bottom of the page, which a browser follows without the token.

import { text } from "./api.js";
import { el } from "./dom.js";
import { token } from "./session.js";

/** With a token, a link opens what it leads to on this page: fetched with the token. */
export function startFiles() {
  for (const link of document.querySelectorAll("#files a")) {
    link.addEventListener("click", (event) => {
      const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (token() !== null && !isElsewhere) {
        event.preventDefault();
        open(link.textContent, link.getAttribute("href"));
      }
    });
  }
}

async function open(name, path) {
  const content = el("pre.snippet", { tabindex: 0, "aria-label": name }, "Loading…");
  const save = el("button", { type: "button", disabled: true }, "Download");
  const dialog = el(
    "dialog.card.file",
    { "aria-labelledby": "file-title" },
    el("h2", { id: "file-title" }, name),
    content,
    el(
      "p.actions",
      {},
      save,
      el("button.main", { type: "button", onclick: () => dialog.close() }, "Close"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  try {
    const found = await text(path);
    content.textContent = found;
    save.addEventListener("click", () => download(path, found));
    save.disabled = false;
  } catch (failure) {
    content.textContent = failure.message;
  }
}

function download(path, content) {
  const address = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  const name = path.split("/").at(-1);
  const link = el("a", { href: address, download: name.includes(".") ? name : `${name}.txt` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
