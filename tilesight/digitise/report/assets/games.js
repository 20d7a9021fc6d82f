// The games, and the start of the page.
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
    cells([at + 1, play.player, play.position || "", (play.word || play.event) + (play.alternatives ? " (not decided)" : ""), play.score, play.total, photoLink(play.photo)])));
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
  const last = of.filter((photo) => photo.thumbnail).pop();
  const picture = make("img");
  picture.loading = "lazy";
  picture.alt = "";
  if (last) {
    picture.src = last.thumbnail;
    centreBoard(picture, last, 4.2 / 3.2);
  } else picture.hidden = true;
  const folders = [...new Set(of.map((photo) => shortName(photo.image).split("/").slice(0, -1).join("/")))].filter(Boolean);
  const days = [...new Set(of.map((photo) => (photo.taken || "").slice(0, 10)).filter(Boolean))].sort();
  const where = [folders.length > 1 ? `${folders[0]} …` : folders[0], days[0]].filter(Boolean);
  line.append(picture, make("strong", game.game), ...where.map((text) => make("span", text)),
    make("span", `${game.edition}, ${plural(game.photos.length, "photo")}`), make("span", totals));
  const doubts = game.doubts || [];
  if (game.gaps.length) line.append(make("span", plural(game.gaps.length, "gap"), "gap"));
  if (doubts.length) line.append(make("span", plural(doubts.length, "doubt"), "gap"));
  box.append(line);
  box.addEventListener("toggle", () => {
    if (!box.open || box.childElementCount > 1) return;
    if (game.gaps.length + doubts.length) {
      const gaps = make("ul", undefined, "gaps");
      gaps.append(...[...game.gaps, ...doubts].map((gap) => make("li", gap)));
      box.append(gaps);
    }
    if (game.plays.length) box.append(playTable(game.plays));
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
  element("tab-" + name).addEventListener("click", () => showTab(name));
}
function showTab(name) {
  for (const each of ["photos", "games"]) {
    element(each).hidden = each !== name;
    element("tab-" + each).ariaSelected = String(each === name);
  }
}
function showGame(name) {
  element("detail").close();
  showTab("games");
  const box = [...document.querySelectorAll("details")].find((each) => each.dataset.game === name);
  if (!box) return;
  box.open = true;
  box.scrollIntoView({ block: "start" });
  box.querySelector("summary").focus({ preventScroll: true });
}

const withStatus = (status) => photos.filter((photo) => photo.status === status).length;
const [read, none, failed] = ["ok", "board-not-found", "unreadable"].map(withStatus);
const counted = [
  plural(photos.length, "photo"), plural(read, "board"), plural(games.length, "game"),
  none && `${none} without a board`, failed && `${failed} not readable`,
].filter(Boolean).join(", ");
element("summary").textContent = `${counted} · Tilesight ${about.version}`;
drawUnsaved();
filter();
