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

/**
 * Keeps the standings up to date; they are hidden while no game is over.
 *
 * @param {Element} place where
 * @param {number} most lines at most
 * @param {Function} onEvent takes the event with each answer
 * @returns {Promise} ends after the first answer, or where there is none
 */
export function followStandings(place, most, onEvent = () => {}) {
  let shown = "";
  const load = async () => {
    try {
      const event = await (await ask("/api/event")).json();
      onEvent(event);
      const text = JSON.stringify(event.standings);
      if (text !== shown) {
        shown = text;
        place.hidden = event.standings.length === 0;
        const lines = event.standings.slice(0, most).map(row);
        place.replaceChildren(element("table", {}, element("thead", {}, head()), element("tbody", {}, ...lines)));
      }
    } catch {
      // the server is away for a moment
    }
    setTimeout(load, EVERY_MS);
  };
  return load();
}
