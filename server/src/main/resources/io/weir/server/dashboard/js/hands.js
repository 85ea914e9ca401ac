// Whether somebody is about to do something with what is on the page: it must not change then.

let isDown = false;

document.addEventListener("pointerdown", () => (isDown = true), true);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => (isDown = false), true);
}

/** A button is pressed, or text in `element` is selected. */
export function areHandsOn(element) {
  const selection = getSelection();
  return isDown || (!selection.isCollapsed && selection.containsNode(element, true));
}
