// Words with whether the table's list has them: a sign, a colour, and words for a screen reader.

import { element } from "./dom.js";
import { gettext } from "./language.js";

/** Makes a word with its mark; without a check, the word alone. */
export function markedWord(text, isListed) {
  if (isListed === undefined) {
    return element("span", { class: "word" }, text);
  }
  const said = isListed ? gettext("in the list") : gettext("not in the list");
  return element(
    "span",
    { class: `word ${isListed ? "listed" : "unlisted"}`, title: said },
    text,
    element("span", { class: "sign", "aria-hidden": "true" }, isListed ? "✓" : "✗"),
    element("span", { class: "visually-hidden" }, ` ${said} `),
  );
}

/** Makes the words of a move, each with its mark; `checks` are those of the move, if the table has a list. */
export function markedWords(move, checks) {
  return move.words.map(([text], number) => markedWord(text, checks?.[number]));
}
