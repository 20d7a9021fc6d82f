// The editor of one square: it corrects a tile that the camera misread.

import { capitalize } from "./correction.js";
import { element, find, setText } from "./dom.js";
import { formatPercent, gettext } from "./language.js";
import { isBlank, isTile, lettering, squareName, writeToken } from "./tokens.js";

// The sizes of `tilesight.live.snapshots`.
const CELL_PX = 48;
const MARGIN_PX = 24;
const CROP_CELLS = 1.5;
const MAX_CHOICES = 4;

/** Gives the uncertain tile on a square, if there is one. */
export function doubtAt(square, doubts) {
  return doubts.find((doubt) => String(doubt.square) === String(square));
}

/** Parses a typed token: on a blank a letter is what it stands for; ? makes a tile a blank, ! a real tile. */
function parseToken(text, token, letters) {
  const trimmed = text.trim();
  if (trimmed === "?") {
    return "?";
  }
  if (trimmed.startsWith("?")) {
    return capitalize(trimmed.slice(1), letters).toLowerCase();
  }
  if (trimmed.startsWith("!")) {
    return capitalize(trimmed.slice(1), letters);
  }
  const letter = capitalize(trimmed, letters);
  return isBlank(token) ? letter.toLowerCase() : letter;
}

/** Chooses a square of a board, and corrects its tile. */
export class SquareEditor {
  /**
   * @param {import("./board.js").Board} board the board
   * @param {HTMLCanvasElement} picture the camera's picture of the board
   * @param {Function} send sends a command; gives whether it was applied
   */
  constructor(board, picture, send) {
    this.board = board;
    this.picture = picture;
    this.send = send;
    this.chosen = null;
    this.state = null;
    find("#square form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.chosen !== null) {
        this.setToken(parseToken(find("#letter").value, this.tokenAt(this.chosen), board.edition.tokens));
      }
    });
    find("#board-place").addEventListener("click", (event) => {
      const square = board.squareAt(event);
      if (square) {
        this.choose(square);
      }
    });
  }

  tokenAt([row, column]) {
    return this.state.rows[row][column];
  }

  /** Takes a new state; a square whose question was answered, here or elsewhere, is no longer chosen. */
  update(state) {
    const before = this.state;
    this.state = state;
    const question = ({ doubts }) => JSON.stringify(doubtAt(this.chosen, doubts));
    if (this.chosen !== null && before !== null && question(before) !== question(state)) {
      this.chosen = null;
    }
    this.mark();
  }

  /** Marks the uncertain tiles and the chosen square. */
  mark() {
    const marks = (this.state.difference?.squares ?? []).map(([row, column]) => [row, column, "differs"]);
    marks.push(...this.state.doubts.map(({ square: [row, column] }) => [row, column, "doubt"]));
    if (this.chosen !== null) {
      marks.push([...this.chosen, "chosen"]);
    }
    this.board.mark(marks);
    find("#square").classList.toggle("idle", this.chosen === null);
    if (this.chosen === null) {
      setText(find("#square .hint"), gettext("Click a square, or move with the arrows, to correct it."));
    }
  }

  /** Chooses a square to be corrected. */
  choose(square) {
    this.chosen = square;
    const token = this.tokenAt(square);
    const doubt = doubtAt(square, this.state.doubts);
    setText(find("#square .square-name"), squareName(...square));
    const input = find("#letter");
    input.value = isTile(token) && token !== "?" ? lettering(token) : "";
    const others = doubt === undefined ? [] : doubt.others.filter(([other]) => isTile(other)).slice(0, MAX_CHOICES);
    find("#square .candidates").replaceChildren(...others.map((other) => this.choiceButton(other)));
    let hint = gettext("Type the letter. ?A makes it a blank that stands for A.");
    if (!isTile(token)) {
      hint = gettext("No tile is here; enter a play instead.");
    } else if (isBlank(token)) {
      hint = gettext("A blank: type the letter it stands for. !A makes it a real tile.");
    }
    setText(find("#square .hint"), hint);
    this.mark();
    this.showCrop();
    if (isTile(token)) {
      input.focus();
      input.select();
    } else {
      find("#board-place").focus();
    }
  }

  choiceButton([token, share]) {
    const isLetter = isBlank(token) && token !== "?";
    const letter = lettering(token);
    const text = `${isLetter ? gettext("{letter} as a blank", { letter }) : letter} ${formatPercent(share)}`;
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", () => this.setToken(token));
    return made;
  }

  /** Moves the choice by a square; Enter then corrects it. */
  step([down, right]) {
    const { rows, columns, start } = this.board.edition;
    const [row, column] = this.chosen ?? start[0];
    const next = [row + down, column + right];
    if (this.chosen === null) {
      this.chosen = [row, column];
    } else if (next[0] >= 0 && next[1] >= 0 && next[0] < rows && next[1] < columns) {
      this.chosen = next;
    }
    setText(find("#square .square-name"), squareName(...this.chosen));
    const token = this.tokenAt(this.chosen);
    const letter = lettering(token);
    const tile = isBlank(token) ? gettext("blank {letter}", { letter }) : letter;
    const held = isTile(token) ? tile : gettext("empty");
    const hint = gettext("{square}, {tile}. Enter: correct this square.", { square: squareName(...this.chosen), tile: held });
    setText(find("#square .hint"), hint);
    find("#square .candidates").replaceChildren();
    find("#letter").value = "";
    this.mark();
    this.showCrop();
  }

  /** Shows the chosen square and its surroundings in the camera's picture. */
  showCrop() {
    const canvas = find("#square canvas");
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    canvas.hidden = this.picture.width < 2 * MARGIN_PX + this.board.edition.columns * CELL_PX; // no camera's picture yet
    if (this.chosen === null || canvas.hidden) {
      return;
    }
    const [row, column] = this.chosen;
    const side = CELL_PX * CROP_CELLS;
    const rim = (side - CELL_PX) / 2;
    const x = MARGIN_PX + column * CELL_PX - rim;
    const y = MARGIN_PX + row * CELL_PX - rim;
    context.drawImage(this.picture, x, y, side, side, 0, 0, canvas.width, canvas.height);
  }

  /** Corrects the chosen square, or confirms it if the token is the present one; a refused one is chosen again. */
  async setToken(token) {
    const square = this.chosen;
    const name = squareName(...square);
    const typed = find("#letter").value;
    this.leave(); // the next key is for another square, also before the answer
    let isDone = true;
    if (token !== this.tokenAt(square)) {
      isDone = await this.send("letter", [name, writeToken(token, this.board.edition)]);
    } else if (doubtAt(square, this.state.doubts) !== undefined) {
      isDone = await this.send("confirm", [name]);
    }
    if (!isDone && this.chosen === null && document.activeElement === find("#board-place")) {
      this.choose(square); // the operator has begun nothing else
      find("#letter").value = typed;
    }
  }

  /** Ends the choice. */
  leave() {
    this.chosen = null;
    this.mark();
    if (find("#square").contains(document.activeElement)) {
      find("#board-place").focus();
    }
  }
}
