// A match in words: its round, its games, and the score.

import { gettext } from "./language.js";

/** Writes games won: 1, 2½. */
export function formatWins(won) {
  const whole = Math.floor(won);
  const half = won - whole >= 0.5 ? "½" : "";
  return whole === 0 && half !== "" ? half : `${whole}${half}`;
}

/** Whether there is a match to speak of: of several games, or with games before this one. */
export function isMatch({ match }) {
  return match.best_of !== null || match.game > 1;
}

/** Writes the score of the match: 2 – 1. */
export function formatMatchScore({ players }) {
  return players.map(({ won }) => formatWins(won)).join(" – ");
}

/** Says which round it is: Round 4. */
export function describeRound(round) {
  return /^\d+$/.test(round) ? gettext("Round {number}", { number: round }) : round;
}

/** Says which game of its match it is: Game 2 of 3; empty for a single game. */
export function describeGame({ match: { best_of: bestOf, game } }) {
  if (bestOf !== null) {
    return gettext("Game {number} of {most}", { number: game, most: bestOf });
  }
  return game > 1 ? gettext("Game {number}", { number: game }) : "";
}

/** Says where a game is played and which of its match it is: Round 4 · Table 1 · Game 2 of 3. */
export function describeMatch(state) {
  const { round, table } = state.match;
  return [describeRound(round), table, describeGame(state)].filter((part) => part !== "").join(" · ");
}

/** Says who a player is: 1873 · Hugin. */
export function describePlayer({ club, rating }) {
  return [rating === null ? "" : String(rating), club].filter((part) => part !== "").join(" · ");
}
