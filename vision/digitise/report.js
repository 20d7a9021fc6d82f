"use strict";
const { photos, games, about } = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const CHUNK = 120; // cards that are added at once; more follow as the page is scrolled
const SURE = 0.98;
const STATUSES = { ok: "board read", "board-not-found": "no board found", unreadable: "not readable" };
const STORE = "tilesight corrections " + location.pathname;

function make(tag, text, ...classes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (classes.length) made.className = classes.join(" ");
  return made;
}

const many = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
const lastPart = (path) => path.split("/").pop();

// What was put right: by checksum, then by square "row,column", or "edition". Kept by the browser until it is saved.
let corrections = {};
try { corrections = JSON.parse(localStorage.getItem(STORE)) || {}; } catch { /* a browser may keep nothing */ }

const byName = new Map();
photos.forEach((photo, at) => {
  photo.at = at;
  byName.set(photo.n, photo);
  photo.rows = (photo.r || []).map((row) => row.split(" "));
  photo.read = photo.rows.map((row) => row.slice());
  dropApplied(photo);
  for (const [row, column, token] of squaresOf(corrections[photo.x])) {
    if (photo.rows[row]) photo.rows[row][column] = token;
  }
});
function squaresOf(correction) {
  return Object.entries(correction || {}).filter(([key]) => key.includes(","))
    .map(([square, token]) => [...square.split(",").map(Number), token]);
}
// What the run that wrote this page was given already is no longer to be saved.
function dropApplied(photo) {
  const mine = corrections[photo.x];
  if (!mine) return;
  for (const [row, column, token] of squaresOf(mine)) {
    if (!photo.read.length || (photo.read[row]?.[column] === token && wasFixed(photo, row, column))) delete mine[row + "," + column];
  }
  if (mine.edition === photo.e) delete mine.edition;
  if (mine.turn === (photo.o || 0)) delete mine.turn;
  if (mine.none === Boolean(photo.z)) delete mine.none;
  if (photo.q) delete mine.corners;
  if (!Object.keys(mine).length) delete corrections[photo.x];
}
function wasFixed(photo, row, column) {
  return (photo.f || []).some(([r, c]) => r === row && c === column);
}
// The folders that all photos have in common tell nothing.
const root = photos.map((photo) => photo.n.split("/").slice(0, -1)).reduce((common, folders) => {
  const apart = common.findIndex((folder, at) => folder !== folders[at]);
  return apart < 0 ? common : common.slice(0, apart);
}, (photos[0]?.n || "").split("/").slice(0, -1)).map((folder) => folder + "/").join("");
const shortName = (name) => name.slice(root.length);
const squareName = (row, column) => String.fromCharCode(65 + column) + (row + 1);
const doubtsOf = (photo) => (photo.d || []).filter(([, , sure, reason]) => sure < SURE || reason);
const editionOf = (photo) => (corrections[photo.x] || {}).edition || photo.e;
const isFixed = (photo, row, column) =>
  (corrections[photo.x] || {})[row + "," + column] !== undefined || wasFixed(photo, row, column);
const leftDoubts = (photo) => (isAside(photo) ? [] : doubtsOf(photo).filter(([row, column]) => !isFixed(photo, row, column)));
const isUnsure = (photo) => photo.p !== undefined && photo.p < 0.9 && editionOf(photo) === photo.e;
const isFixedAtAll = (photo) => Boolean(photo.f || photo.z || corrections[photo.x]);
const turnOf = (photo) => (corrections[photo.x] || {}).turn ?? (photo.o || 0);
const isNone = (photo) => (corrections[photo.x] || {}).none ?? Boolean(photo.z);
// A board that is to be read from another side, or that is none: its squares are no longer what counts.
const isAside = (photo) => turnOf(photo) !== (photo.o || 0) || isNone(photo);
const plain = (text) => text.normalize("NFC").toUpperCase();

function words(photo) {
  if (photo.words === undefined) {
    const lines = [...photo.rows, ...(photo.rows[0] || []).map((_, at) => photo.rows.map((row) => row[at]))];
    photo.words = lines.map((line) => line.map((token) => (token === "." || token === "#" ? " " : token)).join(""))
      .join(" ").toUpperCase();
    photo.plainName = plain(photo.n);
  }
  return photo.words;
}

// Photos ------------------------------------------------------------------------------------------------------
let shown = [];
let drawn = 0;
function choose(id, values, all) {
  const select = element(id);
  select.append(new Option(all, ""));
  for (const [value, text] of values) select.append(new Option(text, value));
}
const distinct = (key) => [...new Set(photos.map((photo) => photo[key]).filter(Boolean))].sort();
choose("status", distinct("s").map((status) => [status, STATUSES[status] || status]), "any");
choose("edition", [...new Set(photos.map(editionOf).filter(Boolean))].sort().map((name) => [name, name]), "any");
choose("game", distinct("g").map((name) => [name, name]), "any");

const ORDERS = {
  doubt: (a, b) => weight(b) - weight(a) || a.at - b.at,
  name: (a, b) => a.at - b.at,
  taken: (a, b) => (a.t || "9").localeCompare(b.t || "9") || a.at - b.at,
  tiles: (a, b) => (b.c || 0) - (a.c || 0) || a.at - b.at,
};
// What gave no board needs a person most, and a copy of the same bytes nobody: it is corrected with the first.
const weight = (photo) => (photo.k ? -1 : photo.s === "ok" ? photo.u || 0 : photo.z ? 0 : 1000);

function filter() {
  const text = plain(element("find").value.trim());
  const show = element("show").value;
  const wanted = { s: element("status").value, g: element("game").value };
  const edition = element("edition").value;
  shown = photos.filter((photo) =>
    Object.entries(wanted).every(([key, value]) => !value || photo[key] === value) &&
    (!edition || editionOf(photo) === edition) &&
    (!text || words(photo).includes(text) || photo.plainName.includes(text)) &&
    (show !== "doubtful" || leftDoubts(photo).length) &&
    (show !== "edition" || isUnsure(photo)) &&
    (show !== "corrected" || isFixedAtAll(photo)) &&
    (show !== "originals" || !(photo.k || photo.l)));
  shown.sort(ORDERS[element("sort").value]);
  element("count").textContent = shown.length === photos.length ? many(shown.length, "photo") : `${shown.length} of ${many(photos.length, "photo")}`;
  element("nothing").hidden = shown.length > 0;
  element("cards").replaceChildren();
  drawn = 0;
  more();
}

const sentinel = make("div");
new IntersectionObserver((seen) => { if (seen[0].isIntersecting) more(); }, { rootMargin: "1500px" }).observe(sentinel);
function more() {
  const cards = shown.slice(drawn, drawn + CHUNK).map(card);
  drawn += cards.length;
  element("cards").append(...cards);
  element("cards").after(sentinel);
}

function card(photo) {
  const button = make("button", undefined, "card");
  const picture = make("div", undefined, "picture");
  if (photo.i) {
    const image = make("img");
    image.loading = "lazy";
    image.decoding = "async";
    image.alt = "";
    image.src = photo.i;
    picture.append(image);
  } else {
    picture.append(make("span", (photo.m || "no picture").replace(photo.n + ": ", "")));
  }
  const text = make("div", undefined, "text");
  const name = make("div", undefined, "name");
  name.append(make("bdi", shortName(photo.n)));
  name.title = photo.n;
  const line = make("div", undefined, "line");
  line.append(make("span", whatLies(photo)), mark(photo));
  text.append(name, line);
  button.append(picture, text);
  button.addEventListener("click", () => open(photo));
  photo.card = button;
  return button;
}

function whatLies(photo) {
  const share = isUnsure(photo) ? ` (${Math.round(photo.p * 100)}%)` : "";
  return photo.e ? `${editionOf(photo)}${share}, ${many(photo.c, "tile")}` : photo.t || "";
}

function mark(photo) {
  const doubts = leftDoubts(photo).length;
  if (isNone(photo)) return make("span", "no board", "mark", "copy");
  if (isAside(photo)) return make("span", "turned", "mark", "copy");
  if ((corrections[photo.x] || {}).corners) return make("span", "corners shown", "mark", "copy");
  if (photo.s !== "ok") return make("span", STATUSES[photo.s] || photo.s, "mark", "failed");
  if (photo.k || photo.l) return make("span", photo.k ? "copy" : "nearly the same", "mark", "copy");
  if (doubts) return make("span", `${doubts} in doubt`, "mark", "doubtful");
  return make("span", isFixedAtAll(photo) ? "corrected" : "sure", "mark", "sure");
}

for (const id of ["status", "edition", "game", "show", "sort"]) element(id).addEventListener("change", filter);
let typing;
element("find").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(filter, 120); });
element("filters").addEventListener("submit", (event) => event.preventDefault());

// One photo ---------------------------------------------------------------------------------------------------
let current, chosen, note = "", allTiles = false, asBlank = false, typed = { text: "", at: 0, square: "" };
function open(photo) {
  current = photo;
  const first = leftDoubts(photo)[0] || doubtsOf(photo)[0];
  pick(first ? [first[0], first[1]] : undefined);
  element("detail-name").textContent = photo.n;
  element("detail").classList.toggle("boardless", !photo.rows.length);
  element("photo").hidden = !photo.i;
  if (photo.i) element("photo").src = photo.i;
  const facts = {
    Board: STATUSES[photo.s] || photo.s, Why: photo.m && photo.m.replace(photo.n + ": ", ""),
    Edition: photo.e && editionChoice(photo),
    Tiles: photo.c, Taken: photo.t && photo.t.replace("T", " "), Size: photo.w && `${photo.w} × ${photo.h}`,
    Game: photo.g && gameLink(photo.g),
    "Same as": photo.k && photoLink(photo.k), "Nearly the same as": photo.l && photoLink(photo.l),
  };
  element("facts").replaceChildren(...Object.entries(facts).filter(([, value]) => value)
    .flatMap(([name, value]) => {
      const fact = make("dd");
      fact.append(value);
      return [make("dt", name), fact];
    }));
  corners = ((corrections[photo.x] || {}).corners || []).slice();
  drawCorners();
  drawBoard();
  if (!element("detail").open) element("detail").showModal();
  element("detail").querySelector(".sides").scrollTop = 0;
  element(photo.rows.length ? "board" : "close").focus();
}

// Where no board was found, people may show its corners; the next run reads what lies between them.
const CORNERS = ["top left", "top right", "bottom right", "bottom left"];
let corners = [];
const asksForCorners = (photo) => photo.s === "board-not-found" && !photo.z && Boolean(photo.i && photo.w);
function drawCorners() {
  const asks = asksForCorners(current);
  const scale = Math.max(current.w, current.h) / 40;
  const drawing = element("corners");
  drawing.setAttribute("viewBox", `0 0 ${current.w || 1} ${current.h || 1}`);
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
  element("corners-again").hidden = !asks || !corners.length;
  element("corners-help").textContent = corners.length === 4
    ? "The next run reads the board between these corners."
    : `Is there a board? Click the outer corners of its squares, as the letters read: now the ${CORNERS[corners.length]} one.`;
}
element("photo").addEventListener("click", (event) => {
  if (!asksForCorners(current) || corners.length === 4) return;
  const box = element("photo").getBoundingClientRect();
  const part = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  corners.push([Math.round(part[0] * current.w), Math.round(part[1] * current.h)]);
  if (corners.length === 4) say(current, "corners", corners, undefined);
  drawCorners();
});
element("corners-again").addEventListener("click", () => {
  corners = [];
  say(current, "corners", undefined, undefined);
  drawCorners();
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

// What is said of a whole photo: undefined where it is what the page says already.
function say(photo, key, value, was) {
  const mine = (corrections[photo.x] = corrections[photo.x] || {});
  if (value === was) delete mine[key];
  else mine[key] = value;
  if (!Object.keys(mine).length) delete corrections[photo.x];
  keep();
  redrawLine(photo);
}

// The edition, and the others that it may be; the next run reads the photo by the one that is chosen.
function editionChoice(photo) {
  const share = photo.p !== undefined ? ` (${Math.round(photo.p * 100)}%)` : "";
  const names = Object.keys(about.editions);
  if (names.length < 2) return photo.e + share;
  const select = make("select");
  select.ariaLabel = "Edition";
  select.append(...names.map((name) => new Option(name === photo.e ? name + share : name, name)));
  select.value = editionOf(photo);
  select.addEventListener("change", () => {
    say(photo, "edition", select.value, photo.e);
    drawBoard();
  });
  return select;
}

// A board that was read from the wrong side is turned here and read anew by the next run.
function turn(by) {
  for (const [row, column] of squaresOf(corrections[current.x])) delete corrections[current.x][row + "," + column];
  current.rows = current.read.map((row) => row.slice());
  say(current, "turn", (turnOf(current) + by + 4) % 4, current.o || 0);
  drawBoard();
}

function redrawLine(photo) {
  if (photo.card) photo.card.querySelector(".line").replaceChildren(make("span", whatLies(photo)), mark(photo));
}

function pick(square) {
  chosen = square;
  note = "";
  allTiles = asBlank = false;
}

function drawBoard() {
  const board = element("board");
  const aside = isAside(current);
  board.parentElement.hidden = !current.rows.length;
  element("square").hidden = element("doubt").hidden = !current.rows.length || aside;
  for (const each of document.querySelectorAll(".about-board")) each.hidden = current.s !== "ok" && !current.z;
  element("turn-left").disabled = element("turn-right").disabled = isNone(current) || !current.rows.length;
  element("none").textContent = isNone(current) ? "This is a board" : "This is no board";
  element("aside").hidden = !aside;
  element("aside").textContent = isNone(current)
    ? "The next run has this as a photo without a board." : "The next run reads the board from this side.";
  board.classList.toggle("aside", aside);
  const side = turnOf(current) - (current.o || 0);
  board.style.backgroundImage = current.b ? `url("${current.b}")` : "none";
  board.style.transform = side ? `rotate(${-90 * side}deg)` : "none";
  const columns = (current.rows[0] || []).length;
  board.style.gridTemplate = `repeat(${current.rows.length}, 1fr) / repeat(${columns}, 1fr)`;
  const doubtful = new Set(doubtsOf(current).map(([row, column]) => row + "," + column));
  board.replaceChildren(...(aside ? [] : current.rows).flatMap((line, row) => line.map((token, column) => {
    const fixed = isFixed(current, row, column);
    const cell = make("button", undefined, "cell", fixed ? "fixed" : doubtful.has(row + "," + column) ? "doubt" : "plain");
    if (token !== ".") cell.append(make("b", token));
    cell.tabIndex = -1;
    cell.ariaLabel = `${squareName(row, column)}: ${token === "." ? "empty" : token}`;
    if (chosen && chosen[0] === row && chosen[1] === column) cell.ariaCurrent = "true";
    cell.addEventListener("click", () => { pick([row, column]); drawBoard(); });
    return cell;
  })));
  drawSquare();
  element("doubts").replaceChildren(...doubtsOf(current).map(([row, column, sure, reason]) => {
    const item = make("li");
    const button = make("button", undefined, isFixed(current, row, column) ? "done" : "open");
    button.append(make("strong", squareName(row, column)), make("span", describe(row, column, sure, reason)));
    button.addEventListener("click", () => { pick([row, column]); drawBoard(); });
    item.append(button);
    return item;
  }));
  if (!doubtsOf(current).length) element("doubts").append(make("li", "nothing"));
}

function describe(row, column, sure, reason) {
  const token = current.rows[row][column];
  const now = token === "." ? "empty" : token;
  if (isFixed(current, row, column)) return `${now}: ${token === current.read[row][column] ? "it is right" : "corrected"}`;
  return `${now}, ${Math.round(sure * 100)}%${reason ? ": " + reason : ""}`;
}

function drawSquare() {
  const box = element("square");
  box.replaceChildren();
  if (!chosen) { box.append(make("span", "Choose a square to correct it.")); return; }
  const [row, column] = chosen;
  const size = current.rows.length;
  const crop = make("div", undefined, "crop");
  crop.style.background = `url("${current.b}") ${(column / (size - 1)) * 100}% ${(row / (size - 1)) * 100}% / ${size * 100}%`;
  const known = (current.d || []).find(([r, c]) => r === row && c === column);
  const tokens = [...new Set([current.rows[row][column], current.read[row][column], ...(known ? known[4] : []), ".", "?"])];
  const choices = make("div", undefined, "choices");
  choices.append(...tokens.map((token) => choice(token, token)));
  if (inDoubt(chosen)) {
    const right = make("button", "right as it is", "strong");
    right.title = "It is right: on to the next doubt (Enter)";
    right.addEventListener("click", () => { settle(); drawBoard(); });
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

// All tiles of the edition: for fingers, and for letters that a keyboard does not have.
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

// The tile that is typed: two keys in a row make a digraph. A letter that no tile has would be refused by the next run.
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
  current.rows[row][column] = token;
  const asItWas = token === current.read[row][column] && !(current.d || []).some(([r, c]) => r === row && c === column);
  delete current.words;
  say(current, row + "," + column, asItWas ? undefined : token, undefined); // as it was, and nobody doubted it
}

const inDoubt = ([row, column]) => leftDoubts(current).some(([r, c]) => r === row && c === column);

// Enter: the square is right as it stands, and on to the next that is in doubt, in this photo or a later one.
function settle() {
  if (chosen && inDoubt(chosen)) correct(current.rows[chosen[0]][chosen[1]]);
  const next = leftDoubts(current)[0];
  if (next) { pick([next[0], next[1]]); return; }
  const later = shown.slice(shown.indexOf(current) + 1).find((photo) => leftDoubts(photo).length);
  if (later) open(later);
  else note = "Nothing that follows is in doubt.";
}

function keep() {
  try { localStorage.setItem(STORE, JSON.stringify(corrections)); } catch { /* the page still has them */ }
  const all = Object.values(corrections);
  const squares = all.reduce((sum, each) => sum + squaresOf(each).length, 0);
  const count = (key) => all.filter((each) => each[key] !== undefined).length;
  const corrected = [
    squares && many(squares, "square"), count("edition") && many(count("edition"), "edition"),
    count("turn") && many(count("turn"), "side"), count("none") && many(count("none"), "photo"),
    count("corners") && many(count("corners"), "board"),
  ].filter(Boolean);
  const last = corrected.pop();
  element("unsaved").hidden = !last;
  element("unsaved-text").textContent = `${corrected.length ? corrected.join(", ") + " and " : ""}${last} corrected`;
  // A modal dialog hides what lies outside it.
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
element("none").addEventListener("click", () => {
  say(current, "none", !isNone(current), Boolean(current.z));
  drawBoard();
});
element("detail").addEventListener("close", () => {
  keep();
  current.card?.focus();
});
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
// On the document: a square that is clicked is drawn anew, and the key that follows has no place of its own.
document.addEventListener("keydown", (event) => {
  if (!element("detail").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "SELECT") return;
  if (event.key === "PageDown" || event.key === "PageUp") { move(event.key === "PageDown" ? 1 : -1); event.preventDefault(); return; }
  if (event.key === "Enter" && event.target.closest("button:not(.cell), label")) return;
  if (!current.rows.length || isAside(current)) return;
  if (STEPS[event.key]) {
    const sizes = [current.rows.length, current.rows[0].length];
    const from = chosen || [0, -1];
    pick(sizes.map((size, axis) => Math.min(size - 1, Math.max(0, from[axis] + STEPS[event.key][axis]))));
  } else if (event.key === "Enter") {
    settle();
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

// Saving ------------------------------------------------------------------------------------------------------
async function save() {
  const pictures = {};
  for (const [picture, each] of Object.entries(corrections)) {
    const squares = squaresOf(each).map(([row, column, token]) => ({ square: [row, column], token }));
    pictures[picture] = { edition: each.edition, turn: each.turn, no_board: each.none, corners: each.corners, squares };
  }
  const text = JSON.stringify({ schema: 1, pictures }, null, 1) + "\n";
  if (window.showSaveFilePicker) {
    try {
      const handle = await window.showSaveFilePicker({ suggestedName: "corrections.json" });
      const file = await handle.createWritable();
      await file.write(text);
      await file.close();
      return saved();
    } catch (error) {
      if (error.name === "AbortError") return;
    }
  }
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "corrections.json";
  link.click();
  saved();
}
function saved() {
  element("unsaved-text").textContent = "Saved. Now: tilesight digitise … --corrections corrections.json";
}
element("save").addEventListener("click", save);
// Twice, as there is no way back.
element("discard").addEventListener("click", () => {
  const button = element("discard");
  if (button.textContent === "Discard") {
    button.textContent = "Really discard?";
    setTimeout(() => { button.textContent = "Discard"; }, 4000);
    return;
  }
  button.textContent = "Discard";
  corrections = {};
  for (const photo of photos) { photo.rows = photo.read.map((row) => row.slice()); delete photo.words; }
  keep();
  filter();
  if (element("detail").open) open(current);
});

// Games -------------------------------------------------------------------------------------------------------
function cells(values, tag = "td") {
  const row = make("tr");
  row.append(...values.map((value) => {
    const cell = make(tag, undefined, ...(typeof value === "number" ? ["number"] : []));
    cell.append(value ?? "");
    return cell;
  }));
  return row;
}
function playTable(plays) {
  const table = make("table");
  const head = make("thead");
  head.append(cells(["", "player", "place", "word", "points", "total", "photo"], "th"));
  for (const at of [0, 4, 5]) head.rows[0].cells[at].className = "number";
  const body = make("tbody");
  body.append(...plays.map((play, at) =>
    cells([at + 1, play.player, play.position || "", play.word || play.event, play.score, play.total, photoLink(play.photo)])));
  table.append(head, body);
  const box = make("div", undefined, "wide-table");
  box.append(table);
  return box;
}
function drawGame(game) {
  const box = make("details");
  box.dataset.game = game.game;
  const line = make("summary");
  const totals = game.totals ? game.players.map((player, at) => `${player} ${game.totals[at]}`).join(", ") : game.players.join(", ");
  const of = game.photos.map((name) => byName.get(name)).filter(Boolean);
  const last = of.filter((photo) => photo.i).pop();
  const picture = make("img");
  picture.loading = "lazy";
  picture.alt = "";
  if (last) picture.src = last.i;
  else picture.hidden = true;
  const folders = [...new Set(of.map((photo) => shortName(photo.n).split("/").slice(0, -1).join("/")))].filter(Boolean);
  const days = [...new Set(of.map((photo) => (photo.t || "").slice(0, 10)).filter(Boolean))].sort();
  const where = [folders.length > 1 ? `${folders[0]} …` : folders[0], days[0]].filter(Boolean);
  line.append(picture, make("strong", game.game), ...where.map((text) => make("span", text)),
    make("span", `${game.edition}, ${many(game.photos.length, "photo")}`), make("span", totals));
  if (game.gaps.length) line.append(make("span", many(game.gaps.length, "gap"), "gap"));
  box.append(line);
  box.addEventListener("toggle", () => {
    if (!box.open || box.childElementCount > 1) return;
    if (game.gaps.length) {
      const gaps = make("ul", undefined, "gaps");
      gaps.append(...game.gaps.map((gap) => make("li", gap)));
      box.append(gaps);
    }
    if (game.plays.length) box.append(playTable(game.plays));
    for (const way of game.orders || []) {
      box.append(make("h3", `One order of play: ${Math.round(way.share * 100)}% of those that were found`), playTable(way.plays));
    }
    if (game.gcg) {
      const link = make("a", game.gcg);
      link.href = game.gcg;
      const place = make("p", "Game file: ");
      place.append(link);
      box.append(place);
    }
  });
  return box;
}
element("games").append(...(games.length ? games.map(drawGame) : [make("p", "No two photos show one game.")]));
for (const name of ["photos", "games"]) {
  element("tab-" + name).addEventListener("click", () => turnTo(name));
}
function turnTo(name) {
  for (const each of ["photos", "games"]) {
    element(each).hidden = each !== name;
    element("tab-" + each).ariaSelected = String(each === name);
  }
}
function showGame(name) {
  element("detail").close();
  turnTo("games");
  const box = [...document.querySelectorAll("details")].find((each) => each.dataset.game === name);
  if (!box) return;
  box.open = true;
  box.scrollIntoView({ block: "start" });
  box.querySelector("summary").focus({ preventScroll: true });
}

const withStatus = (status) => photos.filter((photo) => photo.s === status).length;
const [read, none, failed] = ["ok", "board-not-found", "unreadable"].map(withStatus);
const counted = [
  many(photos.length, "photo"), many(read, "board"), many(games.length, "game"),
  none && `${none} without a board`, failed && `${failed} not readable`,
].filter(Boolean).join(", ");
element("summary").textContent = `${counted} · Tilesight ${about.version}`;
keep();
filter();
