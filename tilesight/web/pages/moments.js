// Moments: a bingo, a challenge with its ruling, a change of the lead, the end. Each is shown for some seconds.

import { element } from "./dom.js";
import { gettext } from "./language.js";
import { formatMatchScore, isMatch } from "./match.js";

const MAX_WAITING = 3;
const MAX_NAME = 40; // letters
const MIN_NAME = 6;

function describeChallenge({ player, word, points, valid, challenger, gained, turn_lost: turnLost }) {
  if (!valid) {
    return [gettext("Challenge: {word} comes off", { word }), gettext("{name} loses {points} points", { name: player, points })];
  }
  const ruling = turnLost
    ? gettext("{name} loses a turn", { name: challenger })
    : points > 0
      ? gettext("{name} loses {points} points", { name: challenger, points })
      : gained > 0
        ? gettext("{name} gains {points} points", { name: player, points: gained })
        : gettext("no penalty");
  return [gettext("Challenge: {word} stays", { word }), ruling];
}

function describeEnd({ player, points, final }, state) {
  if (!final) {
    return [gettext("Game over"), gettext("The tiles left are being counted")];
  }
  const who = player === null ? gettext("A tie") : gettext("{name} wins by {points}", { name: player, points });
  return [who, isMatch(state) ? gettext("Match {score}", { score: formatMatchScore(state) }) : gettext("Game over")];
}

/** Says a moment in two texts. */
function describeMoment(moment, state) {
  const { kind, player, word, points } = moment;
  switch (kind) {
    case "bingo":
      return [gettext("Bingo: {word}", { word }), gettext("{name} gets {points} points", { name: player, points })];
    case "lead":
      return [gettext("{name} takes the lead", { name: player }), gettext("by {points}", { points })];
    case "challenge":
      return describeChallenge(moment);
    default:
      return describeEnd(moment, state);
  }
}

function shorten(name, most) {
  const letters = [...(name ?? "")];
  return letters.length > most ? `${letters.slice(0, most).join("").trimEnd()}…` : name;
}

/** Shows a moment; names are shortened until the ruling and the points fit. */
function fitMoment(place, moment, state) {
  const { player, challenger } = moment;
  place.dataset.kind = moment.kind;
  for (let most = MAX_NAME; most >= MIN_NAME; most -= 2) {
    const short = { ...moment, player: shorten(player, most), challenger: shorten(challenger, most) };
    const [what, more] = describeMoment(short, state);
    place.replaceChildren(element("strong", {}, what), element("span", {}, more));
    if ([place, place.firstChild].every((each) => each.scrollWidth <= each.clientWidth)) {
      return;
    }
  }
}

/**
 * Shows moments one after the other.
 *
 * @param {Element} place where
 * @param {number} seconds how long each
 * @returns {{add: Function, clear: Function}} `add` takes moments and the state after them, `clear` takes all off
 */
export function showMoments(place, seconds) {
  const waiting = [];
  let isBusy = false;
  let timer = null;
  const next = () => {
    const [moment, state] = waiting.shift() ?? [];
    isBusy = moment !== undefined;
    place.classList.toggle("shown", isBusy);
    if (!isBusy) {
      place.replaceChildren();
      return;
    }
    fitMoment(place, moment, state);
    timer = setTimeout(next, seconds * 1000);
  };
  const add = (moments, state) => {
    waiting.push(...moments.map((moment) => [moment, state]));
    waiting.splice(0, waiting.length - MAX_WAITING); // a page that slept shows the newest
    if (!isBusy) {
      next();
    }
  };
  const clear = () => {
    clearTimeout(timer);
    waiting.length = 0;
    next();
  };
  return { add, clear };
}
