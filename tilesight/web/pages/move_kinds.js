// What a move without a word was, in words.

import { gettext } from "./language.js";

const KINDS = {
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
  pass: gettext("pass"),
  "no-play": gettext("no play"),
  exchange: gettext("exchange"),
  withdrawn: gettext("withdrawn"),
  challenge: gettext("challenge"),
};

/** Says what a move without a word was, as what its player does. */
export function describeKind(kind) {
  return KINDS[kind] ?? kind;
}

/** Says what a move without a word was, as an entry of the list of moves. */
export function nameKind(kind) {
  return ENTRIES[kind] ?? kind;
}
