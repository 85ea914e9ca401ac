// Copies text, also where the page is not served securely and browsers offer no clipboard.

/** Whether it could be copied; if not, the text of `element` is selected for who presses Ctrl+C. */
export async function copyOf(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}
