// The end of a game in words.

/** Says who won and by how much; empty while the game goes on. */
export function describeEnding({ over, players }) {
  if (over === null) {
    return "";
  }
  const ranked = [...players].sort((one, other) => other.total - one.total);
  const [first, second] = ranked;
  const best = ranked.filter(({ total }) => total === first.total);
  if (second === undefined) {
    return `Game over: ${first.name} ${first.total}`;
  }
  return best.length > 1
    ? `Game over: a tie at ${first.total}`
    : `Game over: ${first.name} wins by ${first.total - second.total}`;
}
