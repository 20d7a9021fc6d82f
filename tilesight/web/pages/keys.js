// Keys on every keyboard layout: a Latin letter is what it says, another alphabet's key is what lies there on a Latin one.

/** Gives the key of a keyboard event: a small Latin letter, a digit, "?", or the browser's name. */
export function keyOf(event) {
  if (/^[a-z0-9?]$/i.test(event.key)) {
    return event.key.toLowerCase();
  }
  const [, letter] = /^(?:Key|Digit)([A-Z0-9])$/.exec(event.code ?? "") ?? [];
  const isKnown = /\p{L}/u.test(event.key) || /^Digit/.test(event.code ?? ""); // a sign is itself on every layout
  if (letter !== undefined && isKnown && event.key.length === 1) {
    return letter.toLowerCase();
  }
  return event.key === "F1" ? "?" : event.key;
}

/** Whether what is typed goes into a field. */
export function isTyping(event) {
  return event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
}
