// Moments: a bingo, a challenge with its ruling, a change of the lead, the end. Each is shown for some seconds.

import { element } from "./dom.js";
import { gettext } from "./language.js";
import { formatMatchScore, isMatch } from "./match.js";

const MAX_WAITING = 3;

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
    const texts = waiting.shift();
    isBusy = texts !== undefined;
    place.classList.toggle("shown", isBusy);
    if (!isBusy) {
      place.replaceChildren();
      return;
    }
    const [kind, what, more] = texts;
    place.dataset.kind = kind;
    place.replaceChildren(element("strong", {}, what), element("span", {}, more));
    timer = setTimeout(next, seconds * 1000);
  };
  const add = (moments, state) => {
    waiting.push(...moments.map((moment) => [moment.kind, ...describeMoment(moment, state)]));
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
