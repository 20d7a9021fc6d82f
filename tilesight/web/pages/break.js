// The start page and the break page: a countdown, who plays, the score of the match, and the standings.

import { follow } from "./connection.js";
import { element, find, setText, showNotice } from "./dom.js";
import { describeEnding } from "./ending.js";
import { fitLines } from "./fit.js";
import { flag } from "./flags.js";
import { gettext } from "./language.js";
import { describeMatch, describePlayer, formatMatchScore, isMatch } from "./match.js";
import { applyTheme, chooseTable, readOptions } from "./options.js";
import { followStandings } from "./standings.js";

const REFRESH_MS = 250;
const MAX_LINES = 5;
/** Seconds after the end of a countdown for which it is still spoken of. */
const MAX_LATE_S = 600;

let state = null;
let receivedMs = 0;

/** Writes the time that is left: 1:05:00, 9:59, 0:07. */
function formatLeft(seconds) {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function showCountdown() {
  const place = find("#countdown");
  if (state === null || state.countdown_s === null) {
    setText(place, "");
    return;
  }
  const left = state.countdown_s - state.now_s - (performance.now() - receivedMs) / 1000;
  const late = left > -MAX_LATE_S ? gettext("any moment now") : "";
  setText(place, left > 0 ? formatLeft(left) : late);
  place.classList.toggle("words", left <= 0);
}

function playerCard(player) {
  return element(
    "div",
    { class: "side" },
    element("p", { class: "name" }, ...flag(player.flag), player.name),
    element("p", { class: "about" }, describePlayer(player)),
  );
}

function showPairing() {
  const [first, second] = state.players.map(playerCard);
  const between = element("p", { class: "between" }, isMatch(state) ? formatMatchScore(state) : "–");
  const parts = state.players.length === 2 ? [first, between, second] : state.players.map(playerCard);
  find("#pairing").replaceChildren(...parts);
  fitNames();
}

function fitNames() {
  fitLines(document.querySelectorAll("#pairing .name"));
}

function show(next) {
  const isStart = location.pathname === "/start";
  state = next;
  receivedMs = performance.now();
  const over = describeEnding(state);
  const waiting = isStart ? gettext("Starting soon") : gettext("Break");
  setText(find("h1"), isStart || over === "" ? waiting : over);
  setText(find("#event"), state.match.event === "" ? state.title : state.match.event);
  setText(find("#match"), describeMatch(state));
  find("main").hidden = false;
  showPairing();
  showCountdown();
  showNotice("");
  document.documentElement.dataset.sequence = state.sequence;
}

const chosen = readOptions();
applyTheme(document.documentElement, chosen);
await document.fonts.ready;
const table = await chooseTable(chosen.table);
follow(table, {
  onState: show,
  // A page on air that has shown the table stays as it is.
  onMissing: () => state === null && showNotice(gettext("there is no table {table}", { table })),
});
followStandings(find("#standings"), MAX_LINES);
setInterval(showCountdown, REFRESH_MS);
addEventListener("resize", fitNames);
