// The standings of the event.

import { ask } from "./connection.js";
import { element } from "./dom.js";
import { flag } from "./flags.js";
import { formatNumber, gettext } from "./language.js";
import { formatWins } from "./match.js";

const EVERY_MS = 5000;

function row(line) {
  const spread = formatNumber(line.spread);
  return element(
    "tr",
    {},
    element("td", { class: "place" }, String(line.place)),
    element("td", { class: "name" }, ...flag(line.flag), line.name),
    element("td", {}, formatWins(line.wins)),
    element("td", { class: "games" }, String(line.games)),
    element("td", {}, line.spread > 0 ? `+${spread}` : spread),
  );
}

function head() {
  const names = ["", gettext("Player"), gettext("Wins"), gettext("Games"), gettext("Spread")];
  const classes = ["place", "name", "", "games", ""];
  return element("tr", {}, ...names.map((name, number) => element(name === "" ? "td" : "th", { class: classes[number] }, name)));
}

function restLine() {
  return element("tr", { class: "rest", hidden: true }, element("td"), element("td", { colspan: 4 }));
}

/** Hides the lines for which the place has no room, if it does not grow with them; a last line says how many. */
function fitLines(place) {
  const lines = [...place.querySelectorAll("tbody tr")];
  const rest = lines.pop();
  const isFull = () => place.scrollHeight > place.clientHeight;
  lines.forEach((line) => {
    line.hidden = false;
  });
  rest.hidden = true;
  for (let shown = lines.length - 1; shown > 0 && isFull(); shown -= 1) {
    lines[shown].hidden = true;
    rest.hidden = false;
    rest.lastChild.textContent = gettext("and {n} more", { n: formatNumber(lines.length - shown) });
  }
}

/**
 * Keeps the standings up to date; they are hidden while no game is over.
 *
 * @param {Element} place where
 * @param {number} most lines at most, of those that the place has room for
 * @param {Function} onEvent takes the event with each answer
 * @returns {Promise} ends after the first answer, or where there is none
 */
export function followStandings(place, most, onEvent = () => {}) {
  let shown = "";
  addEventListener("resize", () => {
    if (shown !== "") {
      fitLines(place);
    }
  });
  const load = async () => {
    try {
      const event = await (await ask("/api/event")).json();
      onEvent(event);
      const text = JSON.stringify(event.standings);
      if (text !== shown) {
        shown = text;
        place.hidden = event.standings.length === 0;
        const lines = [...event.standings.slice(0, most).map(row), restLine()];
        place.replaceChildren(element("table", {}, element("thead", {}, head()), element("tbody", {}, ...lines)));
        fitLines(place);
      }
    } catch {
      // the server is away for a moment
    }
    setTimeout(load, EVERY_MS);
  };
  return load();
}
