// Tokens: "." for an empty square, "A", "SZ", "?" for a blank, "sz" for a blank with the letter SZ.

/** Whether a token is a blank, with or without a letter. */
export function isBlank(token) {
  return token === "?" || token !== token.toUpperCase();
}

/** Whether a token is a tile. */
export function isTile(token) {
  return token !== "." && token !== "#";
}

/** Gives the letter of a tile; a blank has the letter that it stands for. */
export function lettering(token) {
  return token === "?" ? "?" : token.toUpperCase();
}

/** Gives a token as people write it: where there is a tile İ, the blanks for İ and I are i and ı. */
export function writeToken(token, edition) {
  return edition.tokens.includes("İ") ? token.replace(/i(?!\u0307)/g, "ı").replace(/i\u0307/g, "i") : token;
}

/** Gives tiles as a command takes them: in brackets, where the edition has tiles of several letters. */
export function tokensText(tokens, edition) {
  const hasLong = edition.tokens.some((token) => token.length > 1);
  return tokens.map((token) => (hasLong && token !== "?" ? `[${token}]` : token)).join("");
}

/** Gives the printed value; empty for blanks and for letters without one. */
export function valueOf(token, edition) {
  return isBlank(token) || edition.values[token] === undefined ? "" : String(edition.values[token]);
}

/** Gives a square's name, such as H8: column, then row. */
export function squareName(row, column) {
  return `${columnName(column)}${row + 1}`;
}

/** Gives a column's letters: A to Z, then AA. */
export function columnName(column) {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : String.fromCharCode(64 + Math.floor(column / 26)) + last;
}

/** Gives the column, counted from 0, of its letters. */
export function columnNumber(letters) {
  return [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
