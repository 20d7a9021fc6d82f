// One text field. It asks twice a second and holds no connection open: a scene may have many of these, and a browser
// keeps only six connections to one server.

import { element } from "./dom.js";
import { choices, dress } from "./options.js";

const ASK_EVERY_MS = 500;
const WITH_WORDS = new Set(["last_play", "blank1", "blank2"]);
const place = document.querySelector("#field");
const name = location.pathname.split("/").at(-1);
let shown = null;

/** The text, with the letters of blanks in a colour of their own: lower case within a word of capitals. */
function coloured(text) {
  const word = name === "last_play" ? text.match(/ (?:\d+[A-Z]|[A-Z]\d+) (\S+) -?\d+ -?\d+$/) : text.match(/^(.*)$/s);
  if (word === null || !WITH_WORDS.has(name)) {
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
    const answer = await fetch(`${location.pathname}.txt`);
    const text = answer.ok ? await answer.text() : "";
    if (text !== shown) {
      shown = text;
      place.replaceChildren(...coloured(text));
    }
  } catch {
    // the server will be back; the last text stays
  }
  setTimeout(show, ASK_EVERY_MS);
}

dress(document.documentElement, choices(location.search));
show();
