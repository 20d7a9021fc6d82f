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

photos.forEach((photo, at) => {
  photo.at = at;
  photo.rows = (photo.r || []).map((row) => row.split(" "));
  photo.read = photo.rows.map((row) => row.slice());
  for (const [row, column, token] of squaresOf(corrections[photo.x])) {
    if (photo.rows[row]) photo.rows[row][column] = token;
  }
});
function squaresOf(correction) {
  return Object.entries(correction || {}).filter(([key]) => key !== "edition")
    .map(([square, token]) => [...square.split(",").map(Number), token]);
}
const squareName = (row, column) => String.fromCharCode(65 + column) + (row + 1);
const doubtsOf = (photo) => (photo.d || []).filter(([, , sure, reason]) => sure < SURE || reason);
const editionOf = (photo) => (corrections[photo.x] || {}).edition || photo.e;
const isFixed = (photo, row, column) =>
  (corrections[photo.x] || {})[row + "," + column] !== undefined ||
  (photo.f || []).some(([r, c]) => r === row && c === column);

function words(photo) {
  if (photo.words === undefined) {
    const lines = [...photo.rows, ...(photo.rows[0] || []).map((_, at) => photo.rows.map((row) => row[at]))];
    photo.words = lines.map((line) => line.map((token) => (token === "." || token === "#" ? " " : token)).join(""))
      .join(" ").toUpperCase();
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
const weight = (photo) => (photo.s === "ok" ? photo.u || 0 : 1000); // what gave no board needs a person most

function filter() {
  const text = element("find").value.trim().toUpperCase();
  const show = element("show").value;
  const wanted = { s: element("status").value, g: element("game").value };
  const edition = element("edition").value;
  shown = photos.filter((photo) =>
    Object.entries(wanted).every(([key, value]) => !value || photo[key] === value) &&
    (!edition || editionOf(photo) === edition) &&
    (!text || photo.n.toUpperCase().includes(text) || words(photo).includes(text)) &&
    (show !== "doubtful" || doubtsOf(photo).length) &&
    (show !== "corrected" || photo.f || corrections[photo.x]) &&
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
    picture.append("no picture");
  }
  const text = make("div", undefined, "text");
  const name = make("div", undefined, "name");
  name.append(make("bdi", photo.n));
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
  return photo.e ? `${editionOf(photo)}, ${photo.c} tiles` : photo.t || "";
}

function mark(photo) {
  const doubts = doubtsOf(photo).filter(([row, column]) => !isFixed(photo, row, column)).length;
  if (photo.s !== "ok") return make("span", STATUSES[photo.s] || photo.s, "mark", "failed");
  if (photo.k || photo.l) return make("span", photo.k ? "copy" : "nearly the same", "mark", "copy");
  if (doubts) return make("span", `${doubts} in doubt`, "mark", "doubtful");
  return make("span", "sure", "mark", "sure");
}

for (const id of ["status", "edition", "game", "show", "sort"]) element(id).addEventListener("change", filter);
let typing;
element("find").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(filter, 120); });
element("filters").addEventListener("submit", (event) => event.preventDefault());

// One photo ---------------------------------------------------------------------------------------------------
let current, chosen;
function open(photo) {
  current = photo;
  const first = doubtsOf(photo).find(([row, column]) => !isFixed(photo, row, column));
  chosen = first ? [first[0], first[1]] : undefined;
  element("detail-name").textContent = photo.n;
  element("photo").hidden = !photo.i;
  if (photo.i) element("photo").src = photo.i;
  const facts = {
    Board: STATUSES[photo.s] || photo.s, Why: photo.m,
    Edition: photo.e && editionChoice(photo),
    Tiles: photo.c, Taken: photo.t && photo.t.replace("T", " "), Size: photo.w && `${photo.w} × ${photo.h}`,
    Game: photo.g, "Same as": photo.k, "Nearly the same as": photo.l,
  };
  element("facts").replaceChildren(...Object.entries(facts).filter(([, value]) => value)
    .flatMap(([name, value]) => {
      const fact = make("dd");
      fact.append(value);
      return [make("dt", name), fact];
    }));
  drawBoard();
  if (!element("detail").open) element("detail").showModal();
}

// The edition, and the others that it may be; the next run reads the photo by the one that is chosen.
function editionChoice(photo) {
  const share = photo.p !== undefined ? ` (${Math.round(photo.p * 100)}%)` : "";
  if (about.editions.length < 2) return photo.e + share;
  const select = make("select");
  select.ariaLabel = "Edition";
  select.append(...about.editions.map((name) => new Option(name === photo.e ? name + share : name, name)));
  select.value = editionOf(photo);
  select.addEventListener("change", () => {
    const mine = (corrections[photo.x] = corrections[photo.x] || {});
    if (select.value === photo.e) delete mine.edition;
    else mine.edition = select.value;
    if (!Object.keys(mine).length) delete corrections[photo.x];
    keep();
    redrawLine(photo);
  });
  return select;
}

function redrawLine(photo) {
  if (photo.card) photo.card.querySelector(".line").replaceChildren(make("span", whatLies(photo)), mark(photo));
}

function drawBoard() {
  const board = element("board");
  board.parentElement.hidden = !current.rows.length;
  element("square").hidden = !current.rows.length;
  board.style.backgroundImage = current.b ? `url("${current.b}")` : "none";
  const columns = (current.rows[0] || []).length;
  board.style.gridTemplate = `repeat(${current.rows.length}, 1fr) / repeat(${columns}, 1fr)`;
  const doubtful = new Set(doubtsOf(current).map(([row, column]) => row + "," + column));
  board.replaceChildren(...current.rows.flatMap((line, row) => line.map((token, column) => {
    const fixed = isFixed(current, row, column);
    const cell = make("button", undefined, "cell", fixed ? "fixed" : doubtful.has(row + "," + column) ? "doubt" : "plain");
    if (token !== ".") cell.append(make("b", token));
    cell.tabIndex = -1;
    cell.ariaLabel = `${squareName(row, column)}: ${token === "." ? "empty" : token}`;
    cell.ariaSelected = String(Boolean(chosen && chosen[0] === row && chosen[1] === column));
    cell.addEventListener("click", () => { chosen = [row, column]; drawBoard(); });
    return cell;
  })));
  drawSquare();
  element("doubts").replaceChildren(...doubtsOf(current).map(([row, column, sure, reason]) => {
    const item = make("li");
    const button = make("button");
    button.append(make("strong", squareName(row, column)), make("span", describe(row, column, sure, reason)));
    button.addEventListener("click", () => { chosen = [row, column]; drawBoard(); });
    item.append(button);
    return item;
  }));
  if (!doubtsOf(current).length) element("doubts").append(make("li", "nothing"));
}

function describe(row, column, sure, reason) {
  if (isFixed(current, row, column)) return "corrected";
  const token = current.rows[row][column];
  return `${token === "." ? "empty" : token}, ${Math.round(sure * 100)}%${reason ? ": " + reason : ""}`;
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
  for (const token of tokens) {
    const button = make("button", token === "." ? "empty" : token === "?" ? "blank" : token);
    if (token === current.rows[row][column]) button.className = "now";
    button.addEventListener("click", () => correct(token));
    choices.append(button);
  }
  const other = make("button", "other …");
  other.addEventListener("click", () => {
    const token = prompt("The tile's letter or letters; in lower case for a blank", "");
    if (token && token.trim()) correct(token.trim());
  });
  choices.append(other);
  box.append(crop, make("strong", squareName(row, column)), choices);
}

function correct(token) {
  const [row, column] = chosen;
  const mine = (corrections[current.x] = corrections[current.x] || {});
  current.rows[row][column] = token;
  if (token === current.read[row][column] && !(current.d || []).some(([r, c]) => r === row && c === column)) {
    delete mine[row + "," + column]; // as it was, and nobody doubted it
  } else {
    mine[row + "," + column] = token;
  }
  if (!Object.keys(mine).length) delete corrections[current.x];
  delete current.words;
  keep();
  drawBoard();
  redrawLine(current);
}

function keep() {
  try { localStorage.setItem(STORE, JSON.stringify(corrections)); } catch { /* the page still has them */ }
  const all = Object.values(corrections);
  const squares = all.reduce((sum, each) => sum + squaresOf(each).length, 0);
  const editions = all.filter((each) => each.edition).length;
  const corrected = [squares && many(squares, "square"), editions && many(editions, "edition")].filter(Boolean);
  element("unsaved").hidden = !corrected.length;
  element("unsaved-text").textContent = `${corrected.join(" and ")} corrected`;
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
element("detail").addEventListener("close", keep);
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
// On the document: a square that is clicked is drawn anew, and the key that follows has no place of its own.
document.addEventListener("keydown", (event) => {
  if (!element("detail").open || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "SELECT") return;
  if (event.key === "PageDown" || event.key === "PageUp") { move(event.key === "PageDown" ? 1 : -1); event.preventDefault(); return; }
  if (!current.rows.length) return;
  if (STEPS[event.key]) {
    const size = current.rows.length;
    const [row, column] = chosen || [0, -1];
    chosen = [row + STEPS[event.key][0], column + STEPS[event.key][1]].map((at) => Math.min(size - 1, Math.max(0, at)));
  } else if (chosen && (event.key === "Delete" || event.key === "Backspace")) {
    correct(".");
  } else if (chosen && event.key === "?") {
    correct("?");
  } else if (chosen && event.key.length === 1 && event.key.toUpperCase() !== event.key.toLowerCase()) {
    correct(event.shiftKey ? event.key.toLowerCase() : event.key.toUpperCase());
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
    pictures[picture] = each.edition ? { edition: each.edition, squares } : { squares };
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
element("discard").addEventListener("click", () => {
  corrections = {};
  for (const photo of photos) { photo.rows = photo.read.map((row) => row.slice()); delete photo.words; }
  keep();
  filter();
  if (element("detail").open) open(current);
});

// Games -------------------------------------------------------------------------------------------------------
function cells(values, tag = "td") {
  const row = make("tr");
  row.append(...values.map((value) => make(tag, value ?? "", ...(typeof value === "number" ? ["number"] : []))));
  return row;
}
function playTable(plays) {
  const table = make("table");
  const head = make("thead");
  head.append(cells(["", "player", "place", "word", "points", "total", "photo"], "th"));
  for (const at of [0, 4, 5]) head.rows[0].cells[at].className = "number";
  const body = make("tbody");
  body.append(...plays.map((play, at) =>
    cells([at + 1, play.player, play.position || "", play.word || play.event, play.score, play.total, lastPart(play.photo || "")])));
  table.append(head, body);
  return table;
}
function drawGame(game) {
  const box = make("details");
  const line = make("summary");
  const totals = game.totals ? game.players.map((player, at) => `${player} ${game.totals[at]}`).join(", ") : game.players.join(", ");
  line.append(make("strong", game.game), make("span", `${game.edition}, ${many(game.photos.length, "photo")}`), make("span", totals));
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
  element("tab-" + name).addEventListener("click", () => {
    for (const each of ["photos", "games"]) {
      element(each).hidden = each !== name;
      element("tab-" + each).ariaSelected = String(each === name);
    }
  });
}

const boards = photos.filter((photo) => photo.s === "ok").length;
const counted = [many(photos.length, "photo"), many(boards, "board"), many(games.length, "game")].join(", ");
element("summary").textContent = `${counted} · Tilesight ${about.version}`;
keep();
filter();
