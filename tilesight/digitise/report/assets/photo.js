// One photo: its board, its doubts and its corrections.
let current, chosen, note = "", allTiles = false, asBlank = false, typed = { text: "", at: 0, square: "" };
function open(photo) {
  current = photo;
  const first = openDoubts(photo)[0] || doubtsOf(photo)[0];
  pick(first ? [first[0], first[1]] : undefined);
  element("detail-name").textContent = photo.image;
  element("detail").classList.toggle("boardless", !photo.rows.length);
  element("photo").hidden = !photo.thumbnail;
  if (photo.thumbnail) element("photo").src = photo.thumbnail;
  const facts = {
    Board: STATUSES[photo.status] || photo.status, Why: photo.message && photo.message.replace(photo.image + ": ", ""),
    Edition: photo.edition && editionChoice(photo),
    Tiles: photo.tiles, Taken: photo.taken && photo.taken.replace("T", " "), Size: photo.width && `${photo.width} × ${photo.height}`,
    Game: photo.game && gameLink(photo.game),
    "Same as": photo.same_as && photoLink(photo.same_as), "Nearly the same as": photo.nearly_same_as && photoLink(photo.nearly_same_as),
  };
  element("facts").replaceChildren(...Object.entries(facts).filter(([, value]) => value)
    .flatMap(([name, value]) => {
      const fact = make("dd");
      fact.append(value);
      return [make("dt", name), fact];
    }));
  corners = ((corrections[photo.sha256] || {}).corners || []).slice();
  drawCorners();
  drawBoard();
  if (!element("detail").open) element("detail").showModal();
  element("detail").querySelector(".sides").scrollTop = 0;
  element(photo.rows.length ? "board" : "close").focus();
}

// If no board was found, people may mark its corners; the next run reads the board between them.
const CORNERS = ["top left", "top right", "bottom right", "bottom left"];
let corners = [];
const needsCorners = (photo) => photo.status === "board-not-found" && !photo.no_board && Boolean(photo.thumbnail && photo.width);
function drawCorners() {
  const asks = needsCorners(current);
  const scale = Math.max(current.width, current.height) / 40;
  const drawing = element("corners");
  drawing.setAttribute("viewBox", `0 0 ${current.width || 1} ${current.height || 1}`);
  const points = corners.map(([x, y]) => `${x},${y}`);
  const shape = (tag, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = text;
    return made;
  };
  drawing.replaceChildren(
    shape(points.length === 4 ? "polygon" : "polyline", { points: points.join(" ") }),
    ...corners.map(([x, y], at) => shape("text", { x, y, "font-size": scale * 1.6 }, at + 1)));
  element("photo-box").classList.toggle("asks", asks && corners.length < 4);
  element("corners-help").hidden = !asks;
  element("corners-again").hidden = !current.corners_given && (!asks || !corners.length);
  element("corners-again").textContent =
    !current.corners_given ? "Begin again" : areCornersWithdrawn(current) ? "Keep the corners that were shown" : "Look for the board again";
  element("corners-help").textContent = corners.length === 4
    ? "The next run reads the board between these corners."
    : `Is there a board? Click the outer corners of its squares, as the letters read: now the ${CORNERS[corners.length]} one.`;
}
element("photo").addEventListener("click", (event) => {
  if (!needsCorners(current) || corners.length === 4) return;
  const box = element("photo").getBoundingClientRect();
  const part = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  corners.push([Math.round(part[0] * current.width), Math.round(part[1] * current.height)]);
  if (corners.length === 4) setCorrection(current, "corners", corners, undefined);
  drawCorners();
});
element("corners-again").addEventListener("click", () => {
  corners = [];
  setCorrection(current, "corners", current.corners_given && !areCornersWithdrawn(current) ? null : undefined, undefined);
  drawCorners();
  drawBoard();
});

function link(text, title, act) {
  const button = make("button", text, "link");
  button.title = title;
  button.addEventListener("click", act);
  return button;
}
const gameLink = (name) => link(name, "Show the game", () => showGame(name));
function photoLink(name) {
  const photo = byName.get(name);
  return photo ? link(lastPart(name), name, () => open(photo)) : lastPart(name || "");
}

// Set a correction of a photo; a value that the page has already is removed.
function setCorrection(photo, key, value, was) {
  const mine = (corrections[photo.sha256] = corrections[photo.sha256] || {});
  if (value === was) delete mine[key];
  else mine[key] = value;
  if (squaresOf(mine).length) mine.lay = orientationOf(photo);
  else delete mine.lay;
  if (!Object.keys(mine).length) delete corrections[photo.sha256];
  storeCorrections();
  for (const copy of photos.filter((each) => each.sha256 === photo.sha256)) { // copies of the file are corrected, too
    applyCorrections(copy);
    redrawLine(copy);
  }
}

// A choice of editions; the next run reads the photo with the chosen one.
function editionChoice(photo) {
  const share = photo.edition_probability !== undefined ? ` (${Math.round(photo.edition_probability * 100)}%)` : "";
  const names = Object.keys(about.editions);
  if (names.length < 2) return photo.edition + share;
  const select = make("select");
  select.ariaLabel = "Edition";
  select.append(...names.map((name) => new Option(name === photo.edition ? name + share : name, name)));
  select.value = editionOf(photo);
  select.addEventListener("change", () => {
    setCorrection(photo, "edition", select.value, photo.edition);
    drawBoard();
  });
  return select;
}

// Rotate a board that was read in the wrong orientation; the next run reads it again. Corrected squares rotate with it.
// Those of an earlier run are corrected again, because a new orientation makes a run drop them.
function turn(by) {
  const was = current.turned_by_game || 0;
  const now = (turnOf(current) + by + 4) % 4;
  const mine = (corrections[current.sha256] = corrections[current.sha256] || {});
  delete mine.turn;
  if (now === was) dropApplied(current);
  else for (const [row, column] of current.corrected || []) mine[row + "," + column] ??= current.read[row][column];
  setCorrection(current, "turn", now, was);
  drawBoard();
}

function redrawLine(photo) {
  if (photo.card) photo.card.querySelector(".line").replaceChildren(make("span", describeBoard(photo)), mark(photo));
}

function pick(square) {
  chosen = square;
  note = "";
  allTiles = asBlank = false;
}

function drawBoard() {
  const board = element("board");
  const aside = isPending(current);
  const along = aside && !isNoBoard(current) && !areCornersWithdrawn(current) ? squaresOf(corrections[current.sha256]) : [];
  board.parentElement.hidden = !current.rows.length;
  element("square").hidden = element("doubt").hidden = !current.rows.length || aside;
  for (const each of document.querySelectorAll(".about-board")) each.hidden = current.status !== "ok" && !current.no_board;
  element("turn-left").disabled = element("turn-right").disabled =
    isNoBoard(current) || areCornersWithdrawn(current) || !current.rows.length;
  element("none").textContent = isNoBoard(current) ? "This is a board" : "This is no board";
  element("aside").hidden = !aside;
  element("aside").textContent = isNoBoard(current)
    ? "The next run has this as a photo without a board."
    : areCornersWithdrawn(current) ? "The next run looks for the board again."
    : `The next run reads the board from this side${along.length ? `, and turns ${plural(along.length, "corrected square")} with it` : ""}.`;
  board.classList.toggle("aside", aside);
  const side = turnOf(current) - (current.turned_by_game || 0);
  board.style.backgroundImage = current.board ? `url("${current.board}")` : "none";
  board.style.transform = side ? `rotate(${-90 * side}deg)` : "none";
  const columns = (current.rows[0] || []).length;
  board.style.gridTemplate = `repeat(${current.rows.length}, 1fr) / repeat(${columns}, 1fr)`;
  const doubtful = new Set(doubtsOf(current).map(([row, column]) => row + "," + column));
  board.replaceChildren(...(aside ? [] : current.rows).flatMap((line, row) => line.map((token, column) => {
    const fixed = isCorrected(current, row, column);
    const cell = make("button", undefined, "cell", fixed ? "fixed" : doubtful.has(row + "," + column) ? "doubt" : "plain");
    if (token !== ".") cell.append(make("b", token));
    cell.tabIndex = -1;
    if (!row) cell.dataset.column = squareName(row, column).slice(0, -1);
    if (!column) cell.dataset.row = squareName(row, column).slice(1);
    cell.ariaLabel = `${squareName(row, column)}: ${token === "." ? "empty" : token}`;
    if (chosen && chosen[0] === row && chosen[1] === column) cell.ariaCurrent = "true";
    cell.addEventListener("click", () => { pick([row, column]); drawBoard(); });
    return cell;
  })));
  board.append(...along.map(([row, column, token]) => {
    const cell = make("span", undefined, "cell", "fixed");
    cell.style.gridArea = `${row + 1} / ${column + 1}`;
    cell.style.transform = `rotate(${90 * side}deg)`; // the letter stays upright
    if (token !== ".") cell.append(make("b", token));
    return cell;
  }));
  drawSquare();
  element("doubts").replaceChildren(...doubtsOf(current).map(([row, column, sure, reason]) => {
    const item = make("li");
    const button = make("button", undefined, isCorrected(current, row, column) ? "done" : "open");
    button.append(make("strong", squareName(row, column)), make("span", describe(row, column, sure, reason)));
    button.addEventListener("click", () => { pick([row, column]); drawBoard(); });
    item.append(button);
    return item;
  }));
  if (current.turn_is_guess) {
    element("doubts").prepend(make("li", "Few tiles show which side is up: turn the board if the letters lie on their side."));
  } else if (!doubtsOf(current).length) element("doubts").append(make("li", "nothing"));
  element("right").disabled = !openDoubts(current).length;
}

function describe(row, column, sure, reason) {
  const token = current.rows[row][column];
  const now = token === "." ? "empty" : token;
  if (isCorrected(current, row, column)) return `${now}: ${token === current.read[row][column] ? "it is right" : "corrected"}`;
  return `${now}, ${Math.round(sure * 100)}%${reason ? ": " + reason : ""}`;
}

function drawSquare() {
  const box = element("square");
  box.replaceChildren();
  if (!chosen) { box.append(make("span", "Choose a square to correct it.")); return; }
  const [row, column] = chosen;
  const size = current.rows.length;
  const crop = make("div", undefined, "crop");
  crop.style.background = `url("${current.board}") ${(column / (size - 1)) * 100}% ${(row / (size - 1)) * 100}% / ${size * 100}%`;
  const known = (current.doubtful || []).find(([r, c]) => r === row && c === column);
  const tokens = [...new Set([current.rows[row][column], current.read[row][column], ...(known ? known[4] : []), ".", "?"])];
  const choices = make("div", undefined, "choices");
  choices.append(...tokens.map((token) => choice(token, token)));
  if (inDoubt(chosen)) {
    const right = make("button", "right as it is", "strong");
    right.title = "It is right: on to the next doubt (Enter)";
    right.addEventListener("click", () => { confirmSquare(); drawBoard(); });
    choices.append(right);
  }
  const other = make("button", "other …");
  other.ariaExpanded = String(allTiles);
  other.addEventListener("click", () => { allTiles = !allTiles; drawSquare(); });
  choices.append(other);
  box.append(crop, make("strong", squareName(row, column)), choices);
  if (allTiles) box.append(everyTile());
  if (note) box.append(make("p", note, "note"));
}

function choice(token, shown) {
  const button = make("button", shown === "." ? "empty" : shown === "?" ? "blank" : shown);
  if (token === current.rows[chosen[0]][chosen[1]]) button.className = "now";
  button.addEventListener("click", () => { correct(token); drawBoard(); });
  return button;
}

// All tiles of the edition, for touch screens and for letters that the keyboard lacks.
function everyTile() {
  const box = make("div", undefined, "choices", "every");
  const label = make("label");
  const blank = make("input");
  blank.type = "checkbox";
  blank.checked = asBlank;
  blank.addEventListener("change", () => { asBlank = blank.checked; drawSquare(); });
  label.append(blank, "a blank that stands for");
  box.append(label, ...lettersOf(current).map((letter) => choice(asBlank ? letter.toLowerCase() : letter, letter)));
  return box;
}

const lettersOf = (photo) => about.editions[editionOf(photo)] || [];

// Type a tile: two keys make a digraph. The next run would refuse a letter that no tile has.
function type(key, blank) {
  const letters = lettersOf(current);
  const letter = key.toUpperCase();
  const square = String(chosen);
  const begun = typed.square === square && performance.now() - typed.at < 1500 ? typed.text : "";
  const text = [begun + letter, letter].find((each) => letters.some((tile) => tile.startsWith(each)));
  if (letters.length && !text) {
    note = `${letter} is no tile of ${editionOf(current)}.`;
    return;
  }
  note = "";
  typed = { text: text || letter, at: performance.now(), square };
  if (letters.length && !letters.includes(text)) note = `${text} …`;
  else correct(blank ? typed.text.toLowerCase() : typed.text);
}

function correct(token) {
  const [row, column] = chosen;
  const asItWas = token === current.read[row][column] && !(current.doubtful || []).some(([r, c]) => r === row && c === column);
  setCorrection(current, row + "," + column, asItWas ? undefined : token, undefined); // the token that was read, without a doubt
}

const inDoubt = ([row, column]) => openDoubts(current).some(([r, c]) => r === row && c === column);

// Enter: confirm the square, and go to the next doubtful one, in this photo or a later one.
function confirmSquare() {
  if (chosen && inDoubt(chosen)) correct(current.rows[chosen[0]][chosen[1]]);
  const next = openDoubts(current)[0];
  if (next) { pick([next[0], next[1]]); return; }
  const later = shown.slice(shown.indexOf(current) + 1).find((photo) => openDoubts(photo).length);
  if (later) open(later);
  else note = "Nothing that follows is in doubt.";
}

// Shift+Enter: confirm all doubtful squares of the board, and go to the next doubtful one of a later photo.
function confirmBoard() {
  for (const [row, column] of openDoubts(current)) {
    pick([row, column]);
    correct(current.rows[row][column]);
  }
  confirmSquare();
}

function storeCorrections() {
  try { localStorage.setItem(STORE, JSON.stringify(corrections)); } catch { /* the page still has them */ }
  const all = Object.values(corrections);
  const squares = all.reduce((sum, each) => sum + squaresOf(each).length, 0);
  const count = (key) => all.filter((each) => each[key] !== undefined).length;
  const corrected = [
    squares && plural(squares, "square"), count("edition") && plural(count("edition"), "edition"),
    count("turn") && plural(count("turn"), "side"), count("none") && plural(count("none"), "photo"),
    count("corners") && plural(count("corners"), "board"),
  ].filter(Boolean);
  const last = corrected.pop();
  element("unsaved").hidden = !last;
  element("unsaved-text").textContent = `${corrected.length ? corrected.join(", ") + " and " : ""}${last} corrected`;
  // A modal dialog hides what is outside it.
  (element("detail").open ? element("detail") : document.body).append(element("unsaved"));
}

function move(by) {
  const at = shown.indexOf(current) + by;
  if (shown[at]) open(shown[at]);
}
element("previous").addEventListener("click", () => move(-1));
element("next").addEventListener("click", () => move(1));
element("close").addEventListener("click", () => element("detail").close());
element("turn-left").addEventListener("click", () => turn(1));
element("turn-right").addEventListener("click", () => turn(-1));
element("right").addEventListener("click", () => { confirmBoard(); drawBoard(); });
element("none").addEventListener("click", () => {
  setCorrection(current, "none", !isNoBoard(current), Boolean(current.no_board));
  drawBoard();
});
element("detail").addEventListener("close", () => {
  storeCorrections();
  current.card?.focus();
});
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
// On the document: a clicked square is redrawn, so that the next key has no focused element.
document.addEventListener("keydown", (event) => {
  if (!element("detail").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "SELECT") return;
  if (event.key === "PageDown" || event.key === "PageUp") { move(event.key === "PageDown" ? 1 : -1); event.preventDefault(); return; }
  if (event.key === "Enter" && event.target.closest("button:not(.cell), label")) return;
  if (!current.rows.length || isPending(current)) return;
  if (STEPS[event.key]) {
    const sizes = [current.rows.length, current.rows[0].length];
    const from = chosen || [0, -1];
    pick(sizes.map((size, axis) => Math.min(size - 1, Math.max(0, from[axis] + STEPS[event.key][axis]))));
  } else if (event.key === "Enter") {
    (event.shiftKey ? confirmBoard : confirmSquare)();
  } else if (chosen && (event.key === "Delete" || event.key === "Backspace")) {
    correct(".");
  } else if (chosen && event.key === "?") {
    correct("?");
  } else if (chosen && event.key.length === 1 && event.key.toUpperCase() !== event.key.toLowerCase()) {
    type(event.key, event.shiftKey);
  } else {
    return;
  }
  event.preventDefault();
  drawBoard();
});
