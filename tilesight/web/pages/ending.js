// The end of a game in words.

import { gettext } from "./language.js";

/** Says who won and by how much, once the tiles left are settled; empty while the game goes on. */
export function describeEnding({ over, final, players }) {
  if (over === null) {
    return "";
  }
  if (!final) {
    return `${gettext("Game over")}. ${gettext("The tiles left are being counted")}`;
  }
  const ranked = [...players].sort((one, other) => other.total - one.total);
  const [first, second] = ranked;
  const best = ranked.filter(({ total }) => total === first.total);
  if (second === undefined) {
    return gettext("Game over: {name} {points}", { name: first.name, points: first.total });
  }
  return best.length > 1
    ? gettext("Game over: a tie at {points}", { points: first.total })
    : gettext("Game over: {name} wins by {points}", { name: first.name, points: first.total - second.total });
}
