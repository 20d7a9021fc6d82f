// One text field. It polls twice a second and keeps no connection open: a scene may have many fields, and a browser
// opens only six connections to one server.

import { ask } from "./connection.js";
import { element, find } from "./dom.js";
import { applyTheme, readOptions } from "./options.js";

const POLL_EVERY_MS = 500;
const WORD_FIELDS = new Set(["last_play", "blank1", "blank2"]);
const place = find("#field");
const name = location.pathname.split("/").at(-1);
let shown = null;

/** Colours the letters of blanks: lower case within a word of capitals. */
function colour(text) {
  const word = name === "last_play" ? text.match(/ (?:\d+[A-Z]|[A-Z]\d+) (\S+) -?\d+ -?\d+$/) : text.match(/^(.*)$/s);
  if (word === null || !WORD_FIELDS.has(name)) {
    return [text];
  }
  const start = text.lastIndexOf(word[1]);
  const letters = [...word[1]].map((letter) =>
    letter === letter.toLowerCase() && letter !== letter.toUpperCase()
      ? element("span", { class: "blank" }, letter)
      : letter,
  );
  return [text.slice(0, start), ...letters, text.slice(start + word[1].length)];
}

async function show() {
  try {
    const answer = await ask(`${location.pathname}.txt`);
    if (answer.status === 404 && shown === null) {
      place.textContent = (await answer.json()).message; // there is no such table, or no such field
    }
    // Too many requests, or a server that stumbles: the last text stays. A field that is gone is empty.
    const text = answer.ok ? await answer.text() : answer.status === 404 && shown !== null ? "" : shown;
    if (text !== null && text !== shown) {
      shown = text;
      place.replaceChildren(...colour(text));
    }
  } catch {
    // the server does not answer; the last text stays
  }
  setTimeout(show, POLL_EVERY_MS);
}

applyTheme(document.documentElement, readOptions());
show();
