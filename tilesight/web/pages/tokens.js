// Tokens as people see them: ".", "A", "SZ", "?" and "sz" for a blank that stands for SZ.

/** Whether a token is a blank tile, its letter known or not. */
export function isBlank(token) {
  return token === "?" || token !== token.toUpperCase();
}

/** Whether something lies there that is a tile. */
export function isTile(token) {
  return token !== "." && token !== "#";
}

/** What stands on the tile: a blank shows the letter that it stands for. */
export function lettering(token) {
  return token === "?" ? "?" : token.toUpperCase();
}

/** The printed value; empty for blanks and for letters without one. */
export function valueOf(token, edition) {
  return isBlank(token) || edition.values[token] === undefined ? "" : String(edition.values[token]);
}

/** A square's name, such as H8: column, then row. */
export function squareName(row, column) {
  return `${columnName(column)}${row + 1}`;
}

/** A column's letter. */
export function columnName(column) {
  return String.fromCharCode(65 + column);
}
