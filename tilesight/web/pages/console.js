// The operator's console. Everything works with keys alone: see ACTIONS, and d for the next doubtful square.

import { Board } from "./board.js";
import { clockText, runClocks } from "./clock.js";
import { ACTIONS, enter, tell } from "./commands.js";
import { editionOf, follow } from "./connection.js";
import { element, setText } from "./dom.js";
import { keepPicture } from "./picture.js";
import { isBlank, isTile, lettering, squareName } from "./tokens.js";

const find = (selector) => document.querySelector(selector);
const CELL_PX = 48;
const MARGIN_PX = 24;
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

let table = "";
let edition = null;
let state = null;
let board = null;
let chosen = null;
let asking = null;
const boardPicture = document.createElement("canvas");

// The entrance

async function open() {
  const token = location.hash.slice(1);
  if (token !== "") {
    history.replaceState(null, "", location.pathname + location.search);
    await enter(token);
  }
  const tables = await (await fetch("/api/tables")).json();
  table = new URLSearchParams(location.search).get("table") ?? tables[0].table;
  const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/desk`);
  if (answer.status === 401) {
    find("#entrance").hidden = false;
    find("#token").focus();
    return;
  }
  find("#tables").replaceChildren(
    ...tables.map((each) => element("option", { value: each.table, selected: each.table === table }, each.table)),
  );
  edition = await editionOf(table);
  start();
}

find("#entrance").addEventListener("submit", async (event) => {
  event.preventDefault();
  const wrong = await enter(find("#token").value);
  setText(find("#entrance .answer"), wrong);
  if (wrong === "") {
    location.reload();
  }
});

find("#tables").addEventListener("change", (event) => {
  location.search = `?table=${encodeURIComponent(event.target.value)}`;
});

// What is shown

function start() {
  board = new Board(edition);
  find("#board-place").append(board.svg);
  for (const [page, name] of [
    ["calibrate", "calibrate"],
    ["overlay", "overlay"],
    ["", "all tables"],
  ]) {
    const query = page === "" ? "" : `?table=${encodeURIComponent(table)}`;
    find("#links").append(element("a", { href: `/${page}${query}`, target: "_blank", rel: "noopener" }, name));
  }
  find("#links").append(
    element("a", { href: `/api/tables/${encodeURIComponent(table)}/game.gcg` }, "game file"),
  );
  find("#actions").append(...ACTIONS.map(actionButton));
  find("#desk").hidden = false;
  const place = `/api/tables/${encodeURIComponent(table)}`;
  keepPicture(`${place}/camera.jpg`, find("#camera canvas"), 400, () => find("#camera").classList.add("seen"));
  keepPicture(`${place}/board.jpg`, boardPicture, 700, showCrop);
  follow(table, {
    desk: true,
    onState: show,
    onStatus: showCamera,
    onLost: (lost) => find("#lost").classList.toggle("lost", lost),
  });
  find("#board-place").focus();
}

function show(next) {
  if (next.edition !== edition.name) {
    location.reload();
  }
  const before = state;
  state = next;
  board.show(state);
  showPlayers(state);
  showDoubts(before);
  showMoves();
  showCamera(state.camera);
  find("#actions [data-verb=undo]").disabled = !state.undoable;
  find("#actions [data-verb=redo]").disabled = !state.redoable;
  document.documentElement.dataset.sequence = state.sequence;
}

function showCamera({ watching, status }) {
  const place = find("#camera-state");
  place.classList.toggle("watching", watching);
  setText(place, status);
}

const clocks = runClocks((times) =>
  times.forEach((time, number) => {
    const place = find("#players").children[number]?.querySelector(".clock");
    if (place) {
      setText(place, time === null ? "" : clockText(time.left_s));
      place.classList.toggle("running", time?.running ?? false);
      place.classList.toggle("over", time !== null && time.left_s < 0);
    }
  }),
);

function showPlayers({ players }) {
  const place = find("#players");
  if (place.children.length !== players.length) {
    place.replaceChildren(...players.map(playerCard));
  }
  players.forEach((player, number) => {
    const card = place.children[number];
    card.classList.toggle("on-turn", player.on_turn);
    setText(card.querySelector(".name"), player.name);
    setText(card.querySelector(".score"), String(player.total));
    setText(card.querySelector(".rack"), player.rack.join(" "));
  });
  clocks(state);
}

function playerCard({ name }) {
  const button = (label, act) => {
    const made = element("button", { type: "button" }, label);
    made.addEventListener("click", act);
    return made;
  };
  return element(
    "div",
    { class: "player" },
    element("div", { class: "name" }),
    element("div", { class: "score" }),
    element("div", { class: "clock" }),
    element("div", { class: "rack", title: "rack" }),
    element(
      "div",
      { class: "buttons" },
      button("Rack", () => ask({ verb: "rack", label: `Rack of ${name}`, first: [name], ask: "ABC?", optional: true })),
      button("Time", () => ask({ verb: "time", label: `Time left of ${name}`, first: [name], ask: "12:30" })),
      button("Run", () => send("start", [name])),
      button("Penalty", () => ask({ verb: "clock", label: `Points off ${name}`, first: [name], ask: "10" })),
    ),
  );
}

function showDoubts(before) {
  const place = find("#attention");
  const { doubts, attention, problems } = state;
  place.classList.toggle("asking", doubts.length > 0 || attention !== "" || problems.length > 0);
  const parts = doubts.map((doubt) => {
    const shown = doubt.token === "?" ? "blank: which letter?" : `${lettering(doubt.token)}?`;
    const choose = element("button", { type: "button", class: "square-button" }, `${doubt.name}  ${shown}`);
    choose.addEventListener("click", () => chooseSquare(doubt.square));
    const confirm = element("button", { type: "button", title: `${doubt.name} is right` }, "✓");
    confirm.addEventListener("click", () => send("confirm", [doubt.name]));
    return element("span", { class: "doubt" }, choose, confirm);
  });
  if (attention !== "") {
    const seen = element("button", { type: "button" }, "Seen");
    seen.addEventListener("click", () => send("confirm"));
    parts.unshift(element("span", { class: "message" }, attention), seen);
  }
  parts.unshift(...problems.map((problem) => element("span", { class: "message" }, problem)));
  if (parts.length === 0) {
    parts.push(element("span", { class: "calm" }, "Nothing is in doubt."));
  } else if (doubts.length > 0) {
    parts.push(element("span", { class: "hint" }, "press d, type the letter, Enter — or y: it is right"));
  }
  place.replaceChildren(...parts);
  if (chosen !== null && before !== null && !same(doubtAt(chosen, before.doubts), doubtAt(chosen, doubts))) {
    chosen = null; // answered, here or elsewhere
  }
  mark();
}

function doubtAt(square, doubts) {
  return doubts.find((doubt) => String(doubt.square) === String(square));
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function mark() {
  const marks = state.doubts.map(({ square: [row, column] }) => [row, column, "doubt"]);
  if (chosen !== null) {
    marks.push([...chosen, "chosen"]);
  }
  board.mark(marks);
  find("#square").classList.toggle("idle", chosen === null);
  if (chosen === null) {
    setText(find("#square .hint"), "Click a square, or move with the arrows, to correct it.");
  }
}

function showMoves() {
  const place = find("#moves ol");
  place.replaceChildren(
    ...state.moves
      .map((move, number) =>
        element(
          "li",
          {},
          element("span", { class: "number" }, String(number + 1)),
          element("span", { class: "who" }, state.players[move.player].name),
          element("span", { class: "where" }, move.position),
          element("span", { class: "what" }, move.word.length > 0 ? move.word.join("") : move.kind),
          element("span", { class: "score" }, String(move.score)),
          element("span", { class: "total" }, String(move.total)),
        ),
      )
      .reverse(),
  );
}

// One square

function chooseSquare(square) {
  chosen = square;
  const [row, column] = square;
  const token = state.rows[row][column];
  const doubt = doubtAt(square, state.doubts);
  setText(find("#square .square-name"), squareName(row, column));
  const input = find("#letter");
  input.value = isTile(token) && token !== "?" ? lettering(token) : "";
  const others = doubt === undefined ? [] : doubt.others.filter(([other]) => isTile(other)).slice(0, 4);
  find("#square .candidates").replaceChildren(
    ...others.map(([other, share]) => {
      const kind = isBlank(other) && other !== "?" ? " as a blank" : "";
      const made = element("button", { type: "button" }, `${lettering(other)}${kind} ${Math.round(share * 100)}%`);
      made.addEventListener("click", () => setToken(other));
      return made;
    }),
  );
  const blank = isTile(token) && isBlank(token);
  const what = !isTile(token)
    ? "No tile lies here; tell a play instead."
    : blank
      ? "A blank: type the letter it stands for. !A makes it a real tile."
      : "Type the letter. ?A makes it a blank that stands for A.";
  setText(find("#square .hint"), what);
  mark();
  showCrop();
  if (isTile(token)) {
    input.focus();
    input.select();
  } else {
    find("#board-place").focus();
  }
}

function showCrop() {
  const canvas = find("#square canvas");
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (chosen === null || boardPicture.width < 2 * MARGIN_PX + edition.columns * CELL_PX) {
    return;
  }
  const [row, column] = chosen;
  const side = CELL_PX * 1.5;
  const x = MARGIN_PX + column * CELL_PX - CELL_PX * 0.25;
  const y = MARGIN_PX + row * CELL_PX - CELL_PX * 0.25;
  context.drawImage(boardPicture, x, y, side, side, 0, 0, canvas.width, canvas.height);
}

/** The token that was typed: on a blank a letter is what it stands for; ? and ! say what the tile is. */
function typed(text, token) {
  const trimmed = text.trim();
  if (trimmed === "?") {
    return "?";
  }
  if (trimmed.startsWith("?")) {
    return trimmed.slice(1).toLowerCase();
  }
  if (trimmed.startsWith("!")) {
    return trimmed.slice(1).toUpperCase();
  }
  return isBlank(token) ? trimmed.toLowerCase() : trimmed.toUpperCase();
}

async function setToken(token) {
  const [row, column] = chosen;
  const now = state.rows[row][column];
  const name = squareName(row, column);
  if (token === now) {
    if (doubtAt(chosen, state.doubts) !== undefined) {
      await send("confirm", [name]);
    }
  } else {
    await send("letter", [name, token]);
  }
  if (find("#telling .answer").textContent === "") {
    leave();
  }
}

function leave() {
  chosen = null;
  mark();
  find("#board-place").focus();
}

find("#square form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [row, column] = chosen ?? [];
  if (row !== undefined) {
    setToken(typed(find("#letter").value, state.rows[row][column]));
  }
});

find("#board-place").addEventListener("click", (event) => {
  const square = board?.squareAt(event);
  if (square) {
    chooseSquare(square);
  }
});

// Telling

/** Tells the table; with a sequence, only if the game is still as it was then. */
async function send(verb, words = [], sequence = null) {
  const wrong = await tell(table, verb, words, sequence);
  setText(find("#telling .answer"), wrong);
  return wrong === "";
}

function actionButton(action) {
  const made = element(
    "button",
    { type: "button", "data-verb": action.verb },
    action.label,
    element("kbd", {}, action.key.toUpperCase()),
  );
  made.addEventListener("click", () => act(action));
  return made;
}

function act(action) {
  if (action.verb === "clocks") {
    const running = state.players.some(({ clock }) => clock?.running);
    send(running ? "stop" : "start");
  } else if (action.ask !== undefined) {
    ask(action);
  } else {
    send(action.verb, action.words, action.sure ? state.sequence : null);
  }
}

function ask(action) {
  asking = { ...action, sequence: action.sure ? state.sequence : null };
  find("#telling").classList.add("asking");
  setText(find("#telling .answer"), "");
  setText(find("#telling .verb"), action.label);
  const input = find("#words");
  input.placeholder = action.ask;
  input.value = "";
  input.focus();
}

function askNoMore() {
  asking = null;
  find("#telling").classList.remove("asking");
  find("#board-place").focus();
}

/** The words that were typed; those of the end of a game begin with players' names, which may have spaces. */
function wordsOf(action, text) {
  const trimmed = text.trim();
  if (trimmed === "") {
    return action.first ?? [];
  }
  const parts = action.whole ? [trimmed] : trimmed.split(action.verb === "end" ? /\s*,\s*/ : /\s+/);
  return [...(action.first ?? []), ...parts];
}

find("#telling form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (asking === null || (find("#words").value.trim() === "" && !asking.optional)) {
    return;
  }
  const asked = asking;
  if (await send(asked.verb, wordsOf(asked, find("#words").value), asked.sequence)) {
    askNoMore();
  } else if (asked.sequence !== null) {
    asked.sequence = state.sequence; // who has read why it was refused, and says it again, means it
  }
});

find("#telling .cancel").addEventListener("click", askNoMore);

// Keys

document.addEventListener("keydown", (event) => {
  if (state === null) {
    return;
  }
  if (event.key === "Escape") {
    setText(find("#telling .answer"), "");
    leave();
    askNoMore();
    return;
  }
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (typing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (event.key in STEPS) {
    event.preventDefault();
    step(STEPS[event.key]);
    return;
  }
  const action = ACTIONS.find(({ key }) => key === event.key.toLowerCase());
  if (event.key === "Enter" && chosen !== null && event.target === find("#board-place")) {
    event.preventDefault();
    chooseSquare(chosen);
  } else if (event.key === "d" && state.doubts.length > 0) {
    event.preventDefault();
    chooseSquare(state.doubts[0].square);
  } else if (event.key === "y" && (chosen !== null || state.doubts.length > 0)) {
    const doubt = doubtAt(chosen ?? [], state.doubts) ?? state.doubts[0];
    if (doubt !== undefined) {
      send("confirm", [doubt.name]);
    }
  } else if (action !== undefined) {
    event.preventDefault();
    const button = find(`#actions [data-verb="${action.verb}"]`);
    if (!button.disabled) {
      act(action);
    }
  }
});

/** The arrows move from square to square; Enter or a letter then corrects it. */
function step([down, right]) {
  const [row, column] = chosen ?? [...edition.start[0]];
  const next = [row + down, column + right];
  if (chosen === null) {
    chosen = [row, column];
  } else if (next[0] >= 0 && next[1] >= 0 && next[0] < edition.rows && next[1] < edition.columns) {
    chosen = next;
  }
  setText(find("#square .square-name"), squareName(...chosen));
  setText(find("#square .hint"), "Enter: correct this square.");
  find("#square .candidates").replaceChildren();
  find("#letter").value = "";
  mark();
  showCrop();
}

open();
