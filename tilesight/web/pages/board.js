// The board as SVG, one unit a square: drawn once, then only the squares that change.

import { svgElement } from "./dom.js";
import { gettext } from "./language.js";
import { columnName, isBlank, isTile, lettering, valueOf } from "./tokens.js";

const EDGE = 0.62;
const SIGNS = {
  d: gettext("2L"),
  t: gettext("3L"),
  q: gettext("4L"),
  D: gettext("2W"),
  T: gettext("3W"),
  Q: gettext("4W"),
};
const DARK = new Set(["t", "q", "T", "Q"]);

/** Shows the board of a game. */
export class Board {
  /** @param {object} edition the table's edition, from the API */
  constructor(edition) {
    this.edition = edition;
    this.shown = new Map();
    this.tiles = svgElement("g");
    this.marks = svgElement("g");
    const { rows, columns } = edition;
    this.svg = svgElement(
      "svg",
      {
        class: "board-svg",
        viewBox: `${-EDGE} ${-EDGE} ${columns + 2 * EDGE} ${rows + 2 * EDGE}`,
        role: "img",
        "aria-label": gettext("board"),
      },
      svgElement("rect", {
        class: "ground",
        x: -EDGE,
        y: -EDGE,
        width: columns + 2 * EDGE,
        height: rows + 2 * EDGE,
        rx: 0.25,
      }),
      ...this.coordinates(),
      ...this.squares(),
      this.tiles,
      this.marks,
    );
  }

  coordinates() {
    const { rows, columns } = this.edition;
    const made = [];
    for (let column = 0; column < columns; column += 1) {
      for (const y of [-EDGE / 2, rows + EDGE / 2]) {
        made.push(label("coordinate", column + 0.5, y + 0.12, columnName(column)));
      }
    }
    for (let row = 0; row < rows; row += 1) {
      for (const x of [-EDGE / 2, columns + EDGE / 2]) {
        made.push(label("coordinate", x, row + 0.62, String(row + 1)));
      }
    }
    return made;
  }

  squares() {
    const start = new Set(this.edition.start.map(String));
    return this.edition.premiums.flatMap((signs, row) =>
      [...signs].flatMap((sign, column) => {
        const kind = sign === "." ? "square" : `square ${sign}`;
        const square = svgElement("rect", {
          class: kind,
          x: column + 0.025,
          y: row + 0.025,
          width: 0.95,
          height: 0.95,
          rx: 0.06,
        });
        const text = start.has(String([row, column])) ? "★" : SIGNS[sign];
        if (text === undefined) {
          return [square];
        }
        const shade = DARK.has(sign) || sign === "." ? "premium on-dark" : "premium";
        return [square, label(shade, column + 0.5, row + 0.61, text)];
      }),
    );
  }

  /** Shows the tiles of a state, with the newest ones marked. */
  show(state) {
    this.svg.setAttribute("aria-label", describe(state));
    const newest = new Set(state.newest.map(String));
    state.rows.forEach((row, y) =>
      row.forEach((token, x) => {
        const key = String([y, x]);
        const kind = isTile(token) ? `${token}${newest.has(key) ? "*" : ""}` : "";
        const was = this.shown.get(key);
        if ((was?.kind ?? "") === kind) {
          return;
        }
        was?.made.remove();
        this.shown.delete(key);
        if (kind !== "") {
          const made = this.tile(token, y, x, newest.has(key));
          if (was !== undefined && was.kind.replace("*", "") === token) {
            made.style.animation = "none"; // the same tile, which is no longer among the newest
          }
          this.tiles.append(made);
          this.shown.set(key, { kind, made });
        }
      }),
    );
  }

  tile(token, row, column, newest) {
    const blank = isBlank(token);
    const made = svgElement(
      "g",
      { class: `tile${newest ? " newest" : ""}${blank ? " blank" : ""}` },
      svgElement("rect", { class: "edge", x: column + 0.05, y: row + 0.08, width: 0.9, height: 0.9, rx: 0.1 }),
      svgElement("rect", { class: "face", x: column + 0.05, y: row + 0.03, width: 0.9, height: 0.9, rx: 0.1 }),
    );
    const text = lettering(token);
    const value = valueOf(token, this.edition);
    const wide = [...text].length > 1;
    const letter = label("letter", column + (value === "" ? 0.5 : value.length > 1 ? 0.38 : 0.46), row + (wide ? 0.66 : 0.7), text);
    letter.setAttribute("font-size", wide ? ([...text].length > 2 ? 0.36 : 0.46) : 0.62);
    made.append(letter);
    if (value !== "") {
      made.append(label("value", column + 0.9, row + 0.86, value));
    }
    return made;
  }

  /** Marks squares, each [row, column, class], over the tiles. */
  mark(squares) {
    this.marks.replaceChildren(
      ...squares.map(([row, column, kind]) =>
        svgElement("rect", {
          class: `mark ${kind}`,
          x: column + 0.02,
          y: row + 0.0,
          width: 0.96,
          height: 0.98,
          rx: 0.12,
        }),
      ),
    );
  }

  /** Gives the square under a pointer's event; null outside of the board. */
  squareAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      this.svg.getScreenCTM().inverse(),
    );
    const [row, column] = [Math.floor(point.y), Math.floor(point.x)];
    const inside = row >= 0 && column >= 0 && row < this.edition.rows && column < this.edition.columns;
    return inside ? [row, column] : null;
  }
}

/** The board for a screen reader: the words of each row that has two letters or more side by side, then of columns. */
function describe({ rows }) {
  const columns = rows[0].map((_, column) => rows.map((row) => row[column]));
  const words = (lines, place) =>
    lines.flatMap((line, number) => {
      const text = line.map((token) => (isTile(token) ? (token === "?" ? gettext("blank") : lettering(token)) : " ")).join("");
      const found = text.split(" ").filter((word) => [...word].length > 1);
      return found.length > 0 ? [`${place(number)}: ${found.join(", ")}`] : [];
    });
  const across = words(rows, (number) => gettext("row {row}", { row: number + 1 }));
  const down = words(columns, (number) => gettext("column {column}", { column: columnName(number) }));
  return [...across, ...down].join("; ") || gettext("an empty board");
}

function label(kind, x, y, text) {
  return svgElement("text", { class: kind, x, y }, text);
}
