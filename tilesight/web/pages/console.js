// The operator's console. Everything works with keys alone: see ACTIONS, and d for the next uncertain tile.

import { Board } from "./board.js";
import { runClocks } from "./clock.js";
import { CommandForm } from "./command_form.js";
import { ACTIONS } from "./commands.js";
import { follow, loadEdition } from "./connection.js";
import { element, find, setText } from "./dom.js";
import { askForToken, openSession } from "./login.js";
import { keepPicture } from "./picture.js";
import { doubtAt, SquareEditor } from "./square_editor.js";
import { lettering } from "./tokens.js";

const CAMERA_EVERY_MS = 400;
const BOARD_EVERY_MS = 700;
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

let state = null;

async function open() {
  const { tables, table } = await openSession();
  const address = `/api/tables/${encodeURIComponent(table)}`;
  const answer = await fetch(`${address}/desk`);
  if (answer.status === 401) {
    askForToken();
    return;
  }
  const select = find("#tables");
  select.append(
    ...tables.map((each) => element("option", { value: each.table, selected: each.table === table }, each.table)),
  );
  select.addEventListener("change", () => {
    location.search = `?table=${encodeURIComponent(select.value)}`;
  });
  showLinks(table, address);
  start(table, address, await loadEdition(table));
}

function showLinks(table, address) {
  const query = `?table=${encodeURIComponent(table)}`;
  const pages = [
    [`/calibrate${query}`, "calibrate"],
    [`/overlay${query}`, "overlay"],
    ["/", "all tables"],
  ];
  find("#links").append(
    ...pages.map(([href, name]) => element("a", { href, target: "_blank", rel: "noopener" }, name)),
    element("a", { href: `${address}/game.gcg` }, "game file"),
  );
}

function start(table, address, edition) {
  const board = new Board(edition);
  find("#board-place").append(board.svg);
  const form = new CommandForm(table, () => state);
  const picture = document.createElement("canvas");
  const editor = new SquareEditor(board, picture, (verb, words) => form.send(verb, words));
  const showClocks = runClocks((number) => find("#players").children[number]?.querySelector(".clock"));
  find("#desk").hidden = false;
  const camera = find("#camera");
  keepPicture(`${address}/camera.jpg`, camera.querySelector("canvas"), CAMERA_EVERY_MS, () =>
    camera.classList.add("seen"),
  );
  keepPicture(`${address}/board.jpg`, picture, BOARD_EVERY_MS, () => editor.showCrop());
  follow(table, {
    forOperator: true,
    onState(next) {
      if (next.edition !== edition.name) {
        location.reload();
      }
      state = next;
      board.show(state);
      showPlayers(form);
      showClocks(state);
      showAttention(form, editor);
      editor.update(state);
      showMoves();
      showCamera(state.camera);
      find("#actions [data-verb=undo]").disabled = !state.undoable;
      find("#actions [data-verb=redo]").disabled = !state.redoable;
      document.documentElement.dataset.sequence = state.sequence;
    },
    onStatus: showCamera,
    onLost: (isLost) => find("#lost").classList.toggle("lost", isLost),
  });
  document.addEventListener("keydown", (event) => {
    if (state !== null) {
      pressKey(event, form, editor);
    }
  });
  find("#board-place").focus();
}

function showCamera({ watching, status }) {
  const place = find("#camera-state");
  place.classList.toggle("watching", watching);
  setText(place, status);
}

function showPlayers(form) {
  const place = find("#players");
  if (place.children.length !== state.players.length) {
    place.replaceChildren(...state.players.map((player) => playerCard(player, form)));
  }
  state.players.forEach((player, number) => {
    const card = place.children[number];
    card.classList.toggle("on-turn", player.on_turn);
    setText(card.querySelector(".name"), player.name);
    setText(card.querySelector(".score"), String(player.total));
    setText(card.querySelector(".rack"), player.rack.join(" "));
  });
}

function playerCard({ name }, form) {
  const first = [name];
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
      button("Rack", () => form.ask({ verb: "rack", label: `Rack of ${name}`, first, ask: "ABC?", optional: true })),
      button("Time", () => form.ask({ verb: "time", label: `Time left of ${name}`, first, ask: "12:30" })),
      button("Run", () => form.send("start", first)),
      button("Penalty", () => form.ask({ verb: "clock", label: `Points off ${name}`, first, ask: "10" })),
    ),
  );
}

function button(label, onClick, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", onClick);
  return made;
}

function showAttention(form, editor) {
  const place = find("#attention");
  const { doubts, attention, problems } = state;
  const parts = problems.map((problem) => element("span", { class: "message" }, problem));
  if (attention !== "") {
    parts.push(element("span", { class: "message" }, attention), button("Seen", () => form.send("confirm")));
  }
  for (const { name, token, square } of doubts) {
    const question = token === "?" ? "blank: which letter?" : `${lettering(token)}?`;
    const choose = button(`${name}  ${question}`, () => editor.choose(square), { class: "square-button" });
    const confirm = button("✓", () => form.send("confirm", [name]), { title: `${name} is right` });
    parts.push(element("span", { class: "doubt" }, choose, confirm));
  }
  place.classList.toggle("asking", parts.length > 0);
  if (parts.length === 0) {
    parts.push(element("span", { class: "calm" }, "Nothing is in doubt."));
  } else if (doubts.length > 0) {
    parts.push(element("span", { class: "hint" }, "press d, type the letter, Enter — or y: it is right"));
  }
  place.replaceChildren(...parts);
}

function showMoves() {
  const lines = state.moves.map((move, number) =>
    element(
      "li",
      move.provisional ? { class: "provisional", title: "the player may go on with this play" } : {},
      element("span", { class: "number" }, String(number + 1)),
      element("span", { class: "who" }, state.players[move.player].name),
      element("span", { class: "where" }, move.position),
      element("span", { class: "what" }, move.word.length > 0 ? move.word.join("") : move.kind),
      element("span", { class: "score" }, String(move.score)),
      element("span", { class: "total" }, String(move.total)),
    ),
  );
  find("#moves ol").replaceChildren(...lines.reverse());
}

function pressKey(event, form, editor) {
  if (event.key === "Escape") {
    setText(find("#telling .answer"), "");
    editor.leave();
    form.cancel();
    return;
  }
  const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const { doubts } = state;
  const action = ACTIONS.find(({ key }) => key === event.key.toLowerCase());
  if (event.key in STEPS) {
    event.preventDefault();
    editor.step(STEPS[event.key]);
  } else if (event.key === "Enter" && editor.chosen !== null && event.target === find("#board-place")) {
    event.preventDefault();
    editor.choose(editor.chosen);
  } else if (event.key === "d" && doubts.length > 0) {
    event.preventDefault();
    editor.choose(doubts[0].square);
  } else if (event.key === "y" && (editor.chosen !== null || doubts.length > 0)) {
    const doubt = doubtAt(editor.chosen ?? [], doubts) ?? doubts[0];
    if (doubt !== undefined) {
      form.send("confirm", [doubt.name]);
    }
  } else if (action !== undefined) {
    event.preventDefault();
    if (!find(`#actions [data-verb="${action.verb}"]`).disabled) {
      form.act(action);
    }
  }
}

open();
