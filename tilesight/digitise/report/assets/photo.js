// One photo: its board, its doubts and its corrections.
let current;
const view = new CorrectionView(
  { board: element("board"), square: element("square"), doubts: element("doubts") },
  {
    photo: () => current,
    edition: () => editionOf(current),
    letters: () => lettersOf(editionOf(current)),
    isCorrected: (row, column) => isCorrected(current, row, column),
    isPending: () => isPending(current),
    set: setSquare,
    translate: (reason) => reason,
    finish: openNextDoubt,
    drawn: drawAround,
  },
);
const picker = new CornerPicker(
  { box: element("photo-box"), image: element("photo"), drawing: element("corners"), help: element("corners-help") },
  {
    photo: () => current,
    asks: () => needsCorners(current),
    take: (corners) => { setCorrection(current, "corners", corners, undefined); drawCorners(); },
    then: "The next run reads the board between these corners.",
  },
);
function open(photo) {
  current = photo;
  view.begin();
  element("detail-name").textContent = photo.image;
  element("detail").classList.toggle("boardless", !photo.rows.length);
  element("photo").hidden = !photo.thumbnail;
  if (photo.thumbnail) element("photo").src = photo.thumbnail;
  const facts = {
    Board: STATUSES[photo.status] || photo.status, Why: photo.message && photo.message.replace(photo.image + ": ", ""),
    Edition: photo.rows.length && editionChoice(photo),
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
  picker.begin((corrections[photo.sha256] || {}).corners || []);
  drawCorners();
  view.draw();
  if (!element("detail").open) element("detail").showModal();
  element("detail").querySelector(".sides").scrollTop = 0;
  focusBoard();
}
const focusBoard = () => element(current.rows.length ? "board" : "close").focus({ preventScroll: true });

// If no board was found, people may mark its corners; the next run reads the board between them.
// Not if a correction made it a photo without a board: the next run may find the board.
const needsCorners = (photo) =>
  photo.status === "board-not-found" && !photo.no_board && !isNoBoard(photo) && Boolean(photo.thumbnail && photo.width);
function drawCorners() {
  picker.draw();
  element("corners-again").hidden = !current.corners_given && (!needsCorners(current) || !picker.corners.length);
  element("corners-again").textContent =
    !current.corners_given ? "Begin again" : areCornersWithdrawn(current) ? "Keep the corners that were shown" : "Look for the board again";
}
element("photo").addEventListener("click", drawCorners);
element("corners-again").addEventListener("click", () => {
  picker.begin();
  setCorrection(current, "corners", current.corners_given && !areCornersWithdrawn(current) ? null : undefined, undefined);
  drawCorners();
  view.draw();
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

// Correct a square. Of the photos of a game that read a tile as the same, the last correction counts: the others go.
function setSquare(row, column, token) {
  const key = row + "," + column;
  for (const other of token === undefined || isTile(token) ? withSameEdition(current) : []) {
    const isOverruled = isTile(corrections[other.sha256]?.[key]) && haveSameReading(current, other, row, column);
    if (isOverruled) setCorrection(other, key, undefined, undefined);
  }
  setCorrection(current, key, token, undefined);
}
// Set a correction of a photo; a value that the page has already is removed.
function setCorrection(photo, key, value, was) {
  const mine = (corrections[photo.sha256] = corrections[photo.sha256] || {});
  if (value === was) delete mine[key];
  else mine[key] = value;
  if (squaresOf(mine).length) mine.lay = orientationOf(photo);
  else delete mine.lay;
  if (!Object.keys(mine).length) delete corrections[photo.sha256];
  storeCorrections([photo.sha256]);
  drawUnsaved();
  const copies = photos.filter((each) => each.sha256 === photo.sha256); // copies of the file are corrected, too
  const changed = new Set([...copies, ...withSameEdition(photo)]);
  changed.forEach(applyCorrections);
  changed.forEach(redrawLine);
}

// A choice of editions; the next run reads the photo with the chosen one.
function editionChoice(photo) {
  const share = photo.edition_probability !== undefined ? ` (${Math.round(photo.edition_probability * 100)}%)` : "";
  const names = Object.keys(about.editions);
  if (names.length < 2) return (photo.edition || names[0]) + share;
  const select = make("select");
  select.ariaLabel = "Edition";
  if (!photo.edition) select.append(new Option("unknown", "")); // of an empty board
  select.append(...names.map((name) => new Option(name === photo.edition ? name + share : name, name)));
  select.value = editionOf(photo) || "";
  const note = make("p", "", "note");
  let isPointed = false; // keys may change a choice several times
  select.addEventListener("pointerdown", () => { isPointed = true; });
  select.addEventListener("change", () => {
    if (isPointed) focusBoard(); // the next letter is one of the board
    isPointed = false;
    note.textContent = findMisfit(photo, select.value);
    if (note.textContent) {
      select.value = editionOf(photo) || "";
      return;
    }
    for (const named of withSameEdition(photo).filter(namedEdition)) {
      setCorrection(named, "edition", undefined, undefined);
    }
    setCorrection(photo, "edition", select.value || undefined, photo.edition);
    view.note = "";
    view.draw();
  });
  const box = make("div");
  box.append(select, note);
  return box;
}
// A run refuses all corrections if the edition lacks the token of a square that is corrected.
function findMisfit(photo, edition) {
  for (const each of withSameEdition(photo)) {
    const misfit = squaresOf(corrections[each.sha256]).find(([, , token]) => !isTileOf(lettersOf(edition), token));
    if (!misfit) continue;
    const [row, column, token] = misfit;
    const place = squareName(row, column) + (each.sha256 === photo.sha256 ? "" : ` of ${shortName(each.image)}`);
    const why = edition ? `is no tile of ${edition}` : "needs an edition";
    return `${place} is corrected to ${token}, which ${why}; correct it first.`;
  }
  return "";
}
const lettersOf = (edition) => about.editions[edition] || [];

// Rotate a board that was read in the wrong orientation; the next run reads it again. Corrected squares rotate with it.
// Those of an earlier run are corrected again, because a new orientation makes a run drop them.
function turn(by) {
  const was = current.turned_by_game || 0;
  const now = (turnOf(current) + by + 4) % 4;
  const mine = (corrections[current.sha256] = corrections[current.sha256] || {});
  delete mine.turn;
  if (now === was) dropApplied(current);
  else for (const [row, column] of current.corrected || []) {
    const token = current.read[row][column];
    if (isTileOf(lettersOf(editionOf(current)), token)) mine[row + "," + column] ??= token;
  }
  setCorrection(current, "turn", now, was);
  view.draw();
}

function redrawLine(photo) {
  if (photo.card) photo.card.querySelector(".line").replaceChildren(make("span", describeBoard(photo)), mark(photo));
}

// What surrounds the squares: the orientation, the corners, and whether there is a board at all.
function drawAround() {
  const board = element("board");
  const aside = isPending(current);
  const along = aside && !isNoBoard(current) && !areCornersWithdrawn(current) ? squaresOf(corrections[current.sha256]) : [];
  board.parentElement.hidden = !current.rows.length && !aside;
  board.hidden = element("keys").hidden = !current.rows.length;
  element("square").hidden = element("doubt").hidden = !current.rows.length || aside;
  for (const each of document.querySelectorAll(".about-board")) each.hidden = current.status === "unreadable";
  element("turn-left").disabled = element("turn-right").disabled =
    isNoBoard(current) || areCornersWithdrawn(current) || !current.rows.length;
  element("none").textContent = isNoBoard(current) ? "This is a board" : "This is no board";
  element("aside").hidden = !aside;
  element("aside").textContent = isNoBoard(current)
    ? "The next run has this as a photo without a board."
    : isBoardAgain(current) ? "The next run reads the board again."
    : areCornersWithdrawn(current) ? "The next run looks for the board again."
    : `The next run reads the board from this side${along.length ? `, and turns ${plural(along.length, "corrected square")} with it` : ""}.`;
  board.classList.toggle("aside", aside);
  const side = turnOf(current) - (current.turned_by_game || 0);
  board.style.transform = side ? `rotate(${-90 * side}deg)` : "none";
  board.append(...along.map(([row, column, token]) => {
    const cell = make("span", undefined, "cell", "fixed");
    cell.style.gridArea = `${row + 1} / ${column + 1}`;
    cell.style.transform = `rotate(${90 * side}deg)`; // the letter stays upright
    if (token !== ".") cell.append(make("b", token));
    return cell;
  }));
  element("right").disabled = !view.open.length;
}

function openNextDoubt() {
  const later = shown.slice(shown.indexOf(current) + 1).find((photo) => openDoubts(photo).length);
  if (!later) return "Nothing that follows is in doubt.";
  open(later);
  return "";
}

function drawUnsaved() {
  const all = [...reported].map((picture) => corrections[picture]).filter(Boolean);
  const squares = all.reduce((sum, each) => sum + squaresOf(each).length, 0);
  const count = (key) => all.filter((each) => each[key] !== undefined).length;
  const corrected = [
    squares && plural(squares, "square"), count("edition") && plural(count("edition"), "edition"),
    count("turn") && plural(count("turn"), "side"), count("none") && plural(count("none"), "photo"),
    count("corners") && plural(count("corners"), "board"),
  ].filter(Boolean);
  const last = corrected.pop();
  element("unsaved").hidden = !last;
  const others = corrected.length ? `${corrected.join(", ")} and ` : "";
  if (last) element("unsaved-text").textContent = `${others}${last} corrected`;
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
element("right").addEventListener("click", () => { view.confirmBoard(); view.draw(); });
element("none").addEventListener("click", () => {
  setCorrection(current, "none", !isNoBoard(current), Boolean(current.no_board));
  drawCorners();
  view.draw();
  element("aside").scrollIntoView({ block: "nearest" });
});
element("detail").addEventListener("close", () => {
  drawUnsaved();
  current.card?.focus();
});
// On the document: a clicked square is redrawn, so that the next key has no focused element.
document.addEventListener("keydown", (event) => {
  if (!element("detail").open) return;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isPlain && (event.key === "PageDown" || event.key === "PageUp")) {
    move(event.key === "PageDown" ? 1 : -1);
    event.preventDefault();
  } else view.press(event);
});
