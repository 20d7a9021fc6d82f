// The data, the corrections, and the photos as cards. The scripts of this folder are concatenated.
const { photos, games, about } = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const CHUNK = 120; // cards that are added at once; more follow as the page is scrolled
const STATUSES = { ok: "board read", "board-not-found": "no board found", unreadable: "not readable" };
const STORE = "tilesight corrections " + location.pathname;

const plural = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
const lastPart = (path) => path.split("/").pop();

// Corrections by checksum, then by square "row,column", "edition", "turn" ... The browser keeps them until they are saved.
let corrections = {};
let isKept = true; // whether the browser keeps them

const byName = new Map();
const photosOfGame = new Map();
const reported = new Set(photos.map((photo) => photo.sha256));
photos.forEach((photo, at) => {
  photo.at = at;
  byName.set(photo.image, photo);
  if (photo.game) photosOfGame.set(photo.game, [...(photosOfGame.get(photo.game) || []), photo]);
  photo.read = (photo.rows || []).map((row) => row.split(" "));
});

function readStored() {
  try { return JSON.parse(localStorage.getItem(STORE)) || {}; } catch { return {}; }
}
// Take the stored corrections over, to which other open copies of the page add.
function takeStored() {
  const before = corrections;
  if (isKept) corrections = readStored();
  for (const photo of photos) {
    if (!before[photo.sha256] && !corrections[photo.sha256]) continue;
    rotateSquares(photo);
    dropApplied(photo);
  }
  photos.forEach(applyCorrections);
}
// Store the corrections of these pictures (checksums). Those of others may be newer in the store.
function storeCorrections(pictures) {
  if (!pictures.length) return;
  const all = readStored();
  for (const picture of pictures) {
    if (corrections[picture]) all[picture] = corrections[picture];
    else delete all[picture];
  }
  try { localStorage.setItem(STORE, JSON.stringify(all)); } catch { isKept = false; /* the page still has them */ }
}
// The board that was read, with the corrections.
function applyCorrections(photo) {
  photo.rows = photo.read.map((row) => row.slice());
  photo.fromGame = new Set();
  for (const other of photosOfGame.get(photo.game) || []) applyTilesOf(other, photo);
  for (const [row, column, token] of squaresOf(corrections[photo.sha256])) {
    if (photo.rows[row]) photo.rows[row][column] = token;
  }
  delete photo.words;
}
// A tile that is corrected in a photo is so in all photos of its game that read it as the same, as in the next run.
function applyTilesOf(other, photo) {
  for (const [row, column, token] of squaresOf(corrections[other.sha256])) {
    if (!isTile(token) || !haveSameReading(photo, other, row, column)) continue;
    photo.fromGame.add(row + "," + column);
    if (token !== "?" || bagTile(photo.read[row][column]) !== "?") photo.rows[row][column] = token;
  }
}
function haveSameReading(photo, other, row, column) {
  if (photo.sha256 === other.sha256 || isPending(photo) || isPending(other)) return false;
  const [one, two] = [photo, other].map((each) => wasCorrected(each, row, column)?.[2] ?? each.read[row]?.[column]);
  return isTile(photo.read[row]?.[column]) && isTile(one) && isTile(two) && bagTile(one) === bagTile(two);
}
const isTile = (token) => token !== undefined && token !== "." && token !== "#";
const bagTile = (token) => (token === token.toUpperCase() ? token : "?");
function squaresOf(correction) {
  return Object.entries(correction || {}).filter(([key]) => key.includes(","))
    .map(([square, token]) => [...square.split(",").map(Number), token]);
}
function dropSquares(mine) {
  for (const [row, column] of squaresOf(mine)) delete mine[row + "," + column];
}
// The orientation of a board whose squares are corrected: a later page may show another one, and rotates the squares.
function orientationOf(photo) {
  return { turn: photo.turned_by_game || 0, rows: photo.read.length, columns: photo.read[0]?.length || 0 };
}
function rotateSquares(photo) {
  const mine = corrections[photo.sha256];
  if (!mine?.lay || !photo.read.length) return;
  let squares = squaresOf(mine);
  let { turn, rows, columns } = mine.lay;
  dropSquares(mine);
  for (; turn !== (photo.turned_by_game || 0); turn = (turn + 1) % 4) {
    squares = squares.map(([row, column, token]) => [columns - 1 - column, row, token]);
    [rows, columns] = [columns, rows];
  }
  for (const [row, column, token] of squares) mine[row + "," + column] = token;
  mine.lay = { turn, rows, columns };
}
// Drop the corrections that the run which wrote this page has applied.
function dropApplied(photo) {
  const mine = corrections[photo.sha256];
  if (!mine) return;
  if (photo.no_board && mine.none !== false) { // of which the page shows no side, edition, corners or squares
    delete corrections[photo.sha256];
    return;
  }
  if (mine.turn === (photo.turned_by_game || 0)) delete mine.turn;
  for (const [row, column, token] of squaresOf(mine)) {
    const given = mine.turn === undefined && photo.read[row]?.[column] === token && wasCorrected(photo, row, column);
    if (given || !photo.read.length) delete mine[row + "," + column];
  }
  if (mine.edition === photo.edition) delete mine.edition;
  if (mine.none === Boolean(photo.no_board)) delete mine.none;
  if (mine.corners !== undefined && Boolean(photo.corners_given) === Boolean(mine.corners)) delete mine.corners;
  if (!squaresOf(mine).length) delete mine.lay;
  if (!Object.keys(mine).length) delete corrections[photo.sha256];
}
// A square that an earlier run corrected: row, column, and the token that was read.
function wasCorrected(photo, row, column) {
  return (photo.corrected || []).find(([r, c]) => r === row && c === column);
}
// The folders that all photos have in common are not shown.
const root = photos.map((photo) => photo.image.split("/").slice(0, -1)).reduce((common, folders) => {
  const apart = common.findIndex((folder, at) => folder !== folders[at]);
  return apart < 0 ? common : common.slice(0, apart);
}, (photos[0]?.image || "").split("/").slice(0, -1)).map((folder) => folder + "/").join("");
const shortName = (name) => name.slice(root.length);
// An edition that was corrected in one photo is that of its game.
const withSameEdition = (photo) => photosOfGame.get(photo.game) || [photo];
const namedEdition = (photo) => (corrections[photo.sha256] || {}).edition;
const editionOf = (photo) =>
  namedEdition(photo) || withSameEdition(photo).map(namedEdition).find(Boolean) || photo.edition;
const isCorrected = (photo, row, column) => photo.fromGame.has(row + "," + column) ||
  (corrections[photo.sha256] || {})[row + "," + column] !== undefined || Boolean(wasCorrected(photo, row, column));
const openDoubts = (photo) => (isPending(photo) ? [] : doubtsOf(photo).filter(([row, column]) => !isCorrected(photo, row, column)));
const isUnsure = (photo) => photo.edition_probability !== undefined && photo.edition_probability < 0.9 && editionOf(photo) === photo.edition;
const hasCorrections = (photo) =>
  Boolean(photo.corrected || photo.corners_given || photo.no_board || photo.fromGame.size || corrections[photo.sha256]);
const turnOf = (photo) => (corrections[photo.sha256] || {}).turn ?? (photo.turned_by_game || 0);
const isNoBoard = (photo) => (corrections[photo.sha256] || {}).none ?? Boolean(photo.no_board);
// A board whose orientation, corners or existence was corrected: the next run decides what its squares hold.
const isPending = (photo) =>
  turnOf(photo) !== (photo.turned_by_game || 0) || isNoBoard(photo) || isBoardAgain(photo) || areCornersWithdrawn(photo);
const isBoardAgain = (photo) => Boolean(photo.no_board) && !isNoBoard(photo); // an earlier correction was wrong
const areCornersWithdrawn = (photo) => (corrections[photo.sha256] || {}).corners === null; // those of an earlier run

takeStored();
const stored = readStored(); // with what the run has applied
const isOld = (picture) => JSON.stringify(stored[picture]) !== JSON.stringify(corrections[picture]);
storeCorrections(Object.keys(stored).filter(isOld));

function words(photo) {
  if (photo.words === undefined) {
    const lines = [...photo.rows, ...(photo.rows[0] || []).map((_, at) => photo.rows.map((row) => row[at]))];
    const written = (token) => (token === "." || token === "#" ? " " : token);
    photo.words = capitalize(lines.map((line) => line.map(written).join("")).join(" "));
    photo.plainName = capitalize(photo.image);
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
const NO_GAME = "none";
const isOfNoGame = (photo) => photo.tiles && !photo.game && !photo.same_as && !photo.nearly_same_as;
const distinct = (key) => [...new Set(photos.map((photo) => photo[key]).filter(Boolean))].sort();
choose("status", distinct("status").map((status) => [status, STATUSES[status] || status]), "any");
choose("edition", [...new Set(photos.map(editionOf).filter(Boolean))].sort().map((name) => [name, name]), "any");
choose("game", [[NO_GAME, "no game"], ...distinct("game").map((name) => [name, name])], "any");

// Local times, where the offset of one photo is not known.
const areInstants = photos.every((photo) => !photo.taken || photo.taken.length > 19);
const moment = (photo) => (photo.taken ? Date.parse(areInstants ? photo.taken : `${photo.taken.slice(0, 19)}Z`) : Infinity);
const ORDERS = {
  doubt: (a, b) => rank(b) - rank(a) || (b.doubt || 0) - (a.doubt || 0) || a.at - b.at,
  name: (a, b) => a.at - b.at,
  taken: (a, b) => moment(a) - moment(b) || a.at - b.at,
  tiles: (a, b) => (b.tiles || 0) - (a.tiles || 0) || a.at - b.at,
};
// Open doubts come first, then photos without a board. Copies of a file are last: they are corrected with the first one.
function rank(photo) {
  if (photo.same_as) return 0;
  return openDoubts(photo).length ? 3 : photo.status !== "ok" && !photo.no_board ? 2 : 1;
}

function filter() {
  const text = element("find").value.trim();
  const show = element("show").value;
  const [status, edition, game] = ["status", "edition", "game"].map((id) => element(id).value);
  shown = photos.filter((photo) =>
    (!status || photo.status === status) &&
    (!game || (game === NO_GAME ? isOfNoGame(photo) : photo.game === game)) &&
    (!edition || editionOf(photo) === edition) &&
    (!text || words(photo).includes(capitalize(text, lettersOf(editionOf(photo)))) ||
      photo.plainName.includes(capitalize(text))) &&
    (show !== "doubtful" || openDoubts(photo).length) &&
    (show !== "edition" || isUnsure(photo)) &&
    (show !== "corrected" || hasCorrections(photo)) &&
    (show !== "originals" || !(photo.same_as || photo.nearly_same_as)));
  shown.sort(ORDERS[element("sort").value]);
  element("count").textContent = shown.length === photos.length ? plural(shown.length, "photo") : `${shown.length} of ${plural(photos.length, "photo")}`;
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

// Shows the board in the middle of a frame (width / height) that cuts its photo.
function centreBoard(image, photo, frame) {
  if (!photo.corners_px?.length) return;
  const shape = photo.width / photo.height;
  image.style.objectPosition = [[0, frame / shape, photo.width], [1, shape / frame, photo.height]].map(([axis, share, side]) => {
    const middle = photo.corners_px.reduce((sum, corner) => sum + corner[axis], 0) / 4 / side;
    return share < 1 ? `${Math.min(Math.max((middle - share / 2) / (1 - share), 0), 1) * 100}%` : "50%";
  }).join(" ");
}

function card(photo) {
  const button = make("button", undefined, "card");
  const picture = make("div", undefined, "picture");
  if (photo.thumbnail) {
    const image = make("img");
    image.loading = "lazy";
    image.decoding = "async";
    image.alt = "";
    image.src = photo.thumbnail;
    centreBoard(image, photo, 6 / 5);
    picture.append(image);
  } else {
    picture.append(make("span", (photo.message || "no picture").replace(photo.image + ": ", "")));
  }
  const text = make("div", undefined, "text");
  const name = make("div", undefined, "name");
  name.append(make("bdi", shortName(photo.image)));
  name.title = photo.image;
  const line = make("div", undefined, "line");
  line.append(make("span", describeBoard(photo)), mark(photo));
  text.append(name, line);
  button.append(picture, text);
  button.addEventListener("click", () => open(photo));
  photo.card = button;
  return button;
}

function describeBoard(photo) {
  const share = isUnsure(photo) ? ` (${Math.round(photo.edition_probability * 100)}%)` : "";
  if (!photo.rows.length) return photo.taken || "";
  return (editionOf(photo) ? `${editionOf(photo)}${share}, ` : "") + plural(photo.tiles, "tile");
}

function mark(photo) {
  const doubts = openDoubts(photo).length;
  if (isNoBoard(photo)) return make("span", "no board", "mark", "copy");
  if (areCornersWithdrawn(photo) || isBoardAgain(photo)) return make("span", "looked for again", "mark", "copy");
  if (isPending(photo)) return make("span", "turned", "mark", "copy");
  if ((corrections[photo.sha256] || {}).corners) return make("span", "corners shown", "mark", "copy");
  if (photo.status !== "ok") return make("span", STATUSES[photo.status] || photo.status, "mark", "failed");
  if (photo.same_as || photo.nearly_same_as) return make("span", photo.same_as ? "copy" : "nearly the same", "mark", "copy");
  if (doubts) return make("span", `${doubts} in doubt`, "mark", "doubtful");
  if (photo.message && !hasCorrections(photo)) return make("span", "remark", "mark", "doubtful");
  return make("span", hasCorrections(photo) ? "corrected" : "sure", "mark", "sure");
}

for (const id of ["status", "edition", "game", "show", "sort"]) element(id).addEventListener("change", filter);
let typing;
element("find").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(filter, 120); });
element("filters").addEventListener("submit", (event) => event.preventDefault());
