// The correction of a board, with keys and on touch screens. The report's page contains this file without the word
// `export`; the photo page of `tilesight serve` imports it.

let gettext = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** Shows messages in another language; `translate` is the function gettext of a page's language. */
export function speak(translate) { gettext = translate; }

export function make(tag, text, ...classes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (classes.length) made.className = classes.join(" ");
  return made;
}

/** The letters of a column: A to Z, then AA. */
const columnName = (column) =>
  (column < 26 ? "" : String.fromCharCode(64 + Math.floor(column / 26))) + String.fromCharCode(65 + (column % 26));

export const squareName = (row, column) => columnName(column) + (row + 1);

/** A typed text in upper case, composed; where there is a tile İ, it is the upper case of i. */
export const capitalize = (text, letters = []) =>
  (letters.includes("İ") ? text.replace(/i\u0307?/g, "İ") : text).toUpperCase().normalize("NFC");

/** The doubts of a photo, each [row, column, confidence, reason, tokens]. */
export const doubtsOf = (photo) => photo.doubtful || [];

/** Whether a square may hold a token: nothing, a blank, something covered, or a tile of these letters. */
export const isTileOf = (letters, token) =>
  [".", "?", "#"].includes(token) || letters.includes(capitalize(token));

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const PAUSE_MS = 1500; // between two letters of a digraph

/**
 * Shows a board, steps through its doubtful squares, and corrects them.
 *
 * @param {{board: Element, square: Element, doubts: Element}} parts the elements that are filled
 * @param {object} model the page's side:
 *   `photo()` the photo: `rows` as corrected, `read` as read, `doubtful`, and `board`, the address of its picture;
 *   `edition()` the edition's name, `letters()` its tokens;
 *   `isCorrected(row, column)`; `isPending()` whether squares cannot be corrected now;
 *   `set(row, column, token)` corrects a square, or without a token forgets the correction;
 *   `translate(reason)` gives the reason of a doubt in the page's language;
 *   `finish()` is called after the last doubt and may give a note; `drawn()` is called after each drawing
 */
export class CorrectionView {
  constructor(parts, model) {
    this.parts = parts;
    this.model = model;
    this.typed = { text: "", at: 0, square: "" };
    this.pick(undefined);
  }

  get photo() { return this.model.photo(); }

  /** The doubts that nobody has answered. */
  get open() {
    return this.model.isPending() ? [] : doubtsOf(this.photo).filter(([row, column]) => !this.model.isCorrected(row, column));
  }

  pick(square) {
    this.chosen = square;
    this.note = "";
    this.allTiles = this.asBlank = false;
  }

  /** Chooses the first doubtful square of a new photo. */
  begin() {
    const first = this.open[0] || doubtsOf(this.photo)[0];
    this.pick(first ? [first[0], first[1]] : undefined);
  }

  draw() {
    const { board, doubts } = this.parts;
    const photo = this.photo;
    const columns = (photo.rows[0] || []).length;
    const doubtful = new Set(doubtsOf(photo).map(([row, column]) => row + "," + column));
    board.style.backgroundImage = photo.board ? `url("${photo.board}")` : "none";
    board.style.gridTemplate = `repeat(${photo.rows.length}, 1fr) / repeat(${columns}, 1fr)`;
    board.replaceChildren(...(this.model.isPending() ? [] : photo.rows).flatMap((line, row) => line.map((token, column) => {
      const fixed = this.model.isCorrected(row, column);
      const cell = make("button", undefined, "cell", fixed ? "fixed" : doubtful.has(row + "," + column) ? "doubt" : "plain");
      if (token !== ".") cell.append(make("b", token));
      cell.tabIndex = -1;
      if (!row) cell.dataset.column = squareName(row, column).slice(0, -1);
      if (!column) cell.dataset.row = squareName(row, column).slice(1);
      cell.ariaLabel = `${squareName(row, column)}: ${token === "." ? gettext("empty") : token}`;
      if (this.isChosen(row, column)) cell.ariaCurrent = "true";
      cell.addEventListener("click", () => { this.pick([row, column]); this.draw(); });
      return cell;
    })));
    this.drawSquare();
    doubts.replaceChildren(...doubtsOf(photo).map(([row, column, sure, reason]) => {
      const item = make("li");
      const button = make("button", undefined, this.model.isCorrected(row, column) ? "done" : "open");
      button.append(make("strong", squareName(row, column)), make("span", this.describe(row, column, sure, reason)));
      if (this.isChosen(row, column)) button.ariaCurrent = "true";
      button.addEventListener("click", () => { this.pick([row, column]); this.draw(); });
      item.append(button);
      return item;
    }));
    if (photo.turn_is_guess) {
      doubts.prepend(make("li", gettext("It is not certain which side is up: turn the board if the letters lie on their side.")));
    } else if (!doubtsOf(photo).length) doubts.append(make("li", gettext("nothing")));
    doubts.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    this.model.drawn();
  }

  isChosen(row, column) {
    return Boolean(this.chosen) && this.chosen[0] === row && this.chosen[1] === column;
  }

  describe(row, column, sure, reason) {
    const token = this.photo.rows[row][column];
    const now = token === "." ? gettext("empty") : token;
    if (this.model.isCorrected(row, column)) {
      return `${now}: ${token === this.photo.read[row][column] ? gettext("it is right") : gettext("corrected")}`;
    }
    return `${now}, ${Math.round(sure * 100)}%${reason ? ": " + this.model.translate(reason) : ""}`;
  }

  drawSquare() {
    const box = this.parts.square;
    const photo = this.photo;
    box.replaceChildren();
    if (!this.chosen) { box.append(make("span", gettext("Choose a square to correct it."))); return; }
    const [row, column] = this.chosen;
    const rows = photo.rows.length;
    const columns = photo.rows[0].length;
    const crop = make("div", undefined, "crop");
    const place = `${(column / (columns - 1)) * 100}% ${(row / (rows - 1)) * 100}%`;
    crop.style.background = `url("${photo.board}") ${place} / ${columns * 100}% ${rows * 100}%`;
    const known = (photo.doubtful || []).find(([r, c]) => r === row && c === column);
    const tokens = [...new Set([photo.rows[row][column], photo.read[row][column], ...(known ? known[4] : []), ".", "?"])];
    const choices = make("div", undefined, "choices");
    choices.append(...tokens.map((token) => this.choice(token, token)));
    if (this.inDoubt()) {
      const right = make("button", gettext("right as it is"), "strong");
      right.title = gettext("It is right: on to the next doubt (Enter)");
      right.addEventListener("click", () => { this.confirmSquare(); this.draw(); });
      choices.append(right);
    }
    const other = make("button", gettext("other …"));
    other.ariaExpanded = String(this.allTiles);
    other.addEventListener("click", () => { this.allTiles = !this.allTiles; this.drawSquare(); });
    choices.append(other);
    box.append(crop, make("strong", squareName(row, column)), choices);
    if (this.allTiles) box.append(this.everyTile());
    if (this.note) box.append(make("p", this.note, "note"));
  }

  choice(token, shown) {
    const button = make("button", shown === "." ? gettext("empty") : shown === "?" ? gettext("blank") : shown);
    if (token === this.photo.rows[this.chosen[0]][this.chosen[1]]) button.className = "now";
    button.addEventListener("click", () => { this.correct(token); this.draw(); });
    return button;
  }

  // All tiles of the edition, for touch screens and for letters that the keyboard lacks.
  everyTile() {
    const box = make("div", undefined, "choices", "every");
    const label = make("label");
    const blank = make("input");
    blank.type = "checkbox";
    blank.checked = this.asBlank;
    blank.addEventListener("change", () => { this.asBlank = blank.checked; this.drawSquare(); });
    label.append(blank, gettext("a blank that stands for"));
    box.append(label, ...this.model.letters().map((letter) => this.choice(this.asBlank ? letter.toLowerCase() : letter, letter)));
    return box;
  }

  // Type a tile: two keys make a digraph. A letter that no tile of the edition has is refused.
  type(key, blank) {
    const letters = this.model.letters();
    const letter = capitalize(key, letters);
    const square = String(this.chosen);
    const begun = this.typed.square === square && performance.now() - this.typed.at < PAUSE_MS ? this.typed.text : "";
    const text = [begun + letter, letter].find((each) => letters.some((tile) => tile.startsWith(each)));
    if (!text) {
      this.note = this.refusal(letter);
      return;
    }
    this.note = "";
    this.typed = { text, at: performance.now(), square };
    if (!letters.includes(text)) this.note = `${text} …`;
    else this.correct(blank ? text.toLowerCase() : text);
  }

  /** Why a square cannot be corrected to a token. */
  refusal(token) {
    const letters = this.model.letters();
    if (isTileOf(letters, token)) return "";
    if (!letters.length) return gettext("Choose the edition first.");
    return gettext("{letter} is no tile of {edition}.", { letter: token, edition: this.model.edition() });
  }

  // Whether the square can be corrected so.
  correct(token) {
    const [row, column] = this.chosen;
    const photo = this.photo;
    const asItWas = token === photo.read[row][column] && !(photo.doubtful || []).some(([r, c]) => r === row && c === column);
    this.note = asItWas ? "" : this.refusal(token);
    if (this.note) return false;
    this.model.set(row, column, asItWas ? undefined : token); // the token that was read, without a doubt
    return true;
  }

  inDoubt() {
    return Boolean(this.chosen) && this.open.some(([row, column]) => row === this.chosen[0] && column === this.chosen[1]);
  }

  // Enter: confirm the square, and go to the next doubtful one.
  confirmSquare() {
    if (this.inDoubt() && !this.correct(this.photo.rows[this.chosen[0]][this.chosen[1]])) return;
    const next = this.open[0];
    if (next) { this.pick([next[0], next[1]]); return; }
    const note = this.model.finish();
    if (note) this.note = note;
  }

  // Shift+Enter: confirm all doubtful squares of the board.
  confirmBoard() {
    for (const [row, column] of this.open) {
      this.pick([row, column]);
      if (!this.correct(this.photo.rows[row][column])) return;
    }
    this.confirmSquare();
  }

  /** Handles a key; whether it meant something. */
  press(event) {
    const photo = this.photo;
    if (event.ctrlKey || event.metaKey || event.altKey || ["SELECT", "TEXTAREA"].includes(event.target.tagName)) return false;
    if (event.key === "Enter" && event.target.closest("button:not(.cell), label, a, summary")) return false;
    if (!photo?.rows.length || this.model.isPending()) return false;
    if (STEPS[event.key]) {
      const sizes = [photo.rows.length, photo.rows[0].length];
      const from = this.chosen || [0, -1];
      this.pick(sizes.map((size, axis) => Math.min(size - 1, Math.max(0, from[axis] + STEPS[event.key][axis]))));
    } else if (event.key === "Enter") {
      if (event.shiftKey) this.confirmBoard();
      else this.confirmSquare();
    } else if (this.chosen && (event.key === "Delete" || event.key === "Backspace")) {
      this.correct(".");
    } else if (this.chosen && event.key === "?") {
      this.correct("?");
    } else if (this.chosen && event.key.length === 1 && event.key.toUpperCase() !== event.key.toLowerCase()) {
      this.type(event.key, event.shiftKey);
    } else {
      return false;
    }
    event.preventDefault();
    this.draw();
    return true;
  }
}

// Whether corners go round a convex shape. In a mirrored picture they do so counterclockwise.
function isConvex(corners) {
  const turns = corners.map(([x, y], at) => {
    const [[x1, y1], [x2, y2]] = [corners[(at + 1) % 4], corners[(at + 2) % 4]];
    return Math.sign((x1 - x) * (y2 - y1) - (y1 - y) * (x2 - x1));
  });
  return turns[0] !== 0 && turns.every((turn) => turn === turns[0]);
}

/**
 * Lets a person mark the corners of a board that was not found.
 *
 * @param {{box: Element, image: Element, drawing: Element, help: Element}} parts the photo and what is drawn over it
 * @param {object} model the page's side: `photo()` with `width` and `height`; `asks()` whether corners are wanted;
 *   `take(corners)` is called with all four, if they go round a convex shape; `then` says what happens to them
 */
export class CornerPicker {
  constructor(parts, model) {
    this.parts = parts;
    this.model = model;
    this.corners = [];
    this.note = "";
    parts.image.addEventListener("click", (event) => this.add(event));
  }

  /** The corner that is wanted next. */
  get next() {
    return [
      gettext("Now the top left one."), gettext("Now the top right one."),
      gettext("Now the bottom right one."), gettext("Now the bottom left one."),
    ][this.corners.length];
  }

  begin(corners = []) {
    this.corners = corners.slice();
    this.note = "";
    this.draw();
  }

  add(event) {
    if (!this.model.asks() || this.corners.length === 4) return;
    const { width, height } = this.model.photo();
    const box = this.parts.image.getBoundingClientRect();
    const part = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    this.corners.push([Math.round(part[0] * width), Math.round(part[1] * height)]);
    this.note = "";
    if (this.corners.length === 4 && !isConvex(this.corners)) {
      this.corners = [];
      this.note = gettext("These corners do not go round the board in order. Begin again.");
    } else if (this.corners.length === 4) this.model.take(this.corners);
    this.draw();
  }

  draw() {
    const photo = this.model.photo();
    const [width, height] = [photo?.width ?? 1, photo?.height ?? 1]; // null for a file that is no picture
    const { box, drawing, help } = this.parts;
    const asks = this.model.asks();
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const shape = (tag, attributes, text = "") => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      made.textContent = text;
      return made;
    };
    drawing.replaceChildren(
      shape(this.corners.length === 4 ? "polygon" : "polyline", { points: this.corners.map(([x, y]) => `${x},${y}`).join(" ") }),
      ...this.corners.map(([x, y], at) => shape("text", { x, y, "font-size": Math.max(width, height) / 25 }, at + 1)));
    box.classList.toggle("asks", asks && this.corners.length < 4);
    help.hidden = !asks;
    help.textContent = this.corners.length === 4
      ? this.model.then
      : `${this.note || gettext("If there is a board, click the four outer corners of its grid. The first is at the top left when the letters are upright.")} ${this.next}`;
  }
}
