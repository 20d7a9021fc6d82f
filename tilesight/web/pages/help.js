// The page of keys, over the console.

import { ACTIONS, OTHER_KEYS, PLAYER_ACTIONS } from "./commands.js";
import { element, find } from "./dom.js";

function row(key, label, text) {
  return element(
    "tr",
    {},
    element("td", {}, element("kbd", {}, key)),
    element("td", {}, label),
    element("td", {}, text),
  );
}

/** Shows the keys, or hides them. */
export function toggleHelp() {
  const dialog = find("#help");
  if (dialog.open) {
    dialog.close();
    return;
  }
  const rows = [...ACTIONS, ...PLAYER_ACTIONS].map(({ key, label, help }) => row(key.toUpperCase(), label, help));
  rows.push(...OTHER_KEYS.map(([key, text]) => row(key, "", text)));
  find("#help tbody").replaceChildren(...rows);
  dialog.showModal();
}
