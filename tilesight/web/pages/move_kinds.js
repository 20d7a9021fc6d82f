// What a move without a word was, in words.

import { formatNumber, gettext } from "./language.js";

const KINDS = {
  play: gettext("lays no word"),
  pass: gettext("passes"),
  "no-play": gettext("passes or exchanges"),
  exchange: gettext("exchanges"),
  withdrawn: gettext("takes the play back"),
  challenge: gettext("is challenged"),
  clock: gettext("time penalty"),
  "end-rack": gettext("tiles left"),
  "end-bonus": gettext("bonus"),
};

const ENTRIES = {
  ...KINDS,
  play: gettext("no word"),
  pass: gettext("pass"),
  "no-play": gettext("pass or exchange"),
  exchange: gettext("exchange"),
  withdrawn: gettext("withdrawn"),
  challenge: gettext("challenge"),
};

/** Says who lost a challenge, and how many points; undefined for another move. */
function describeLostChallenge({ valid, challenger, lost }, players) {
  if (!valid) {
    return undefined;
  }
  if (challenger === null) {
    return gettext("challenge lost");
  }
  const { name } = players[challenger];
  return gettext("challenge lost: {loser}", { loser: lost > 0 ? `${name} ${formatNumber(-lost)}` : name });
}

/** Says what a move without a word was, as what its player does. */
export function describeMove(move, players) {
  return describeLostChallenge(move, players) ?? KINDS[move.kind] ?? move.kind;
}

/** Says what a move without a word was, as an entry of the list of moves. */
export function nameMove(move, players) {
  return describeLostChallenge(move, players) ?? ENTRIES[move.kind] ?? move.kind;
}

/** Writes the points of a move: +14, −18, nothing for a pass. */
export function formatScore(move) {
  if (move.score === 0 && move.word.length === 0) {
    return "";
  }
  return `${move.score < 0 ? "" : "+"}${formatNumber(move.score)}`;
}
