// The operator's console. Everything works with keys alone: see ACTIONS, and the page of keys on "?".

import { button, showAttention } from "./attention.js";
import { showBetween } from "./between.js";
import { Board } from "./board.js";
import { runClocks } from "./clock.js";
import { CommandForm } from "./command_form.js";
import { ACTIONS, PLAYER_ACTIONS } from "./commands.js";
import { askUntilAnswered, follow, loadEdition } from "./connection.js";
import { showDevices, warnOfHttp } from "./devices.js";
import { element, find, setText } from "./dom.js";
import { describeEnding } from "./ending.js";
import { toggleHelp } from "./help.js";
import { isTyping, keyOf } from "./keys.js";
import { languageChoice } from "./language_choice.js";
import { formatNumber, gettext, translateMessage } from "./language.js";
import { askForTable, isRefused, offerTables, openSession, refuseTable } from "./login.js";
import { formatWins, isMatch } from "./match.js";
import { MoveList } from "./move_list.js";
import { addPhoneButton } from "./phone_code.js";
import { keepPicture } from "./picture.js";
import { doubtAt, SquareEditor } from "./square_editor.js";

const CAMERA_EVERY_MS = 400;
const BOARD_EVERY_MS = 700;
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

let state = null;

async function open() {
  const { tables, table } = await openSession();
  const address = `/api/tables/${encodeURIComponent(table)}`;
  const answer = await askUntilAnswered(`${address}/desk`);
  if (isRefused(answer)) {
    await askForTable(tables, table);
    return;
  }
  if ([404, 422].includes(answer.status)) {
    await refuseTable(answer, tables);
    return;
  }
  offerTables(tables, table);
  showLinks(table, address);
  addPhoneButton(find("#links"), table);
  warnOfHttp();
  start(table, address, await loadEdition(table));
}

function showLinks(table, address) {
  const query = `?table=${encodeURIComponent(table)}`;
  const pages = [
    [`/calibrate${query}`, gettext("calibrate")],
    [`/overlay${query}`, gettext("overlay")],
    ["/", gettext("all tables")],
  ];
  find("#links").append(
    ...pages.map(([href, name]) => element("a", { href, target: "_blank", rel: "noopener" }, name)),
    element("a", { href: `${address}/game.gcg` }, gettext("game file")),
    button(gettext("devices"), showDevices, { class: "link" }),
    button(gettext("keys"), toggleHelp, { class: "link" }, "?"),
    languageChoice(),
  );
}

function start(table, address, edition) {
  const board = new Board(edition);
  find("#board-place").append(board.svg);
  const form = new CommandForm(table, edition, () => state, { edit: () => moves.choose() });
  const moves = new MoveList(form);
  const picture = document.createElement("canvas");
  const editor = new SquareEditor(board, picture, (verb, words) => form.send(verb, words));
  const showClocks = runClocks((number) => find("#players").children[number]?.querySelector(".clock"));
  find("#desk").hidden = false;
  const camera = find("#camera");
  keepPicture(`${address}/camera.jpg`, camera.querySelector("canvas"), CAMERA_EVERY_MS, () =>
    camera.classList.add("seen"),
  );
  keepPicture(`${address}/desk/board.jpg`, picture, BOARD_EVERY_MS, () => editor.showCrop());
  follow(table, {
    view: "/desk",
    onState(next) {
      if (next.edition !== edition.name) {
        location.reload();
        return;
      }
      state = next;
      board.show(state);
      showPlayers(form);
      showClocks(state);
      showAttention(state, form, editor);
      showBetween(state, form);
      editor.update(state);
      const isOwn = form.owns(state);
      moves.show(state, isOwn);
      if (isOwn) {
        form.finish();
      }
      showCamera(state.camera);
      setText(find("#over"), describeEnding(state));
      find("#actions [data-verb=undo]").disabled = !state.undoable;
      find("#actions [data-verb=redo]").disabled = !state.redoable;
      document.documentElement.dataset.sequence = state.sequence;
    },
    onStatus: showCamera,
    onLost: (isLost) => find("#lost").classList.toggle("lost", isLost),
    onMissing: () => location.reload(), // the page then names the tables that there are
  });
  document.addEventListener("keydown", (event) => {
    if (state !== null) {
      pressKey(event, form, editor, moves);
    }
  });
  find("#board-place").focus();
}

function showCamera({ watching, status }) {
  const place = find("#camera-state");
  place.classList.toggle("watching", watching);
  setText(place, translateMessage(status));
}

function showPlayers(form) {
  const place = find("#players");
  const names = JSON.stringify(state.players.map(({ name }) => name));
  if (place.dataset.names !== names) {
    place.dataset.names = names; // the buttons of a card send its player's name
    place.replaceChildren(...state.players.map((player) => playerCard(player, form)));
  }
  state.players.forEach((player, number) => {
    const card = place.children[number];
    card.classList.toggle("on-turn", player.on_turn);
    setText(card.querySelector(".name"), player.name);
    setText(card.querySelector(".won"), isMatch(state) ? formatWins(player.won) : "");
    setText(card.querySelector(".turn"), player.on_turn ? gettext("on turn") : "");
    setText(card.querySelector(".score"), formatNumber(player.total));
    setText(card.querySelector(".rack"), player.rack.join(" "));
  });
}

function playerCard({ name }, form) {
  const buttonOf = (action) => {
    const act = () => form.act({ ...action, who: undefined, label: `${action.label}: ${name}`, words: [name] });
    return button(action.label, act, { title: `${action.help} (${action.key.toUpperCase()})` }, action.key.toUpperCase());
  };
  const rename = buttonOf(PLAYER_ACTIONS.find(({ verb }) => verb === "name"));
  rename.className = "name"; // the name itself is the button, since five do not fit side by side
  return element(
    "div",
    { class: "player" },
    rename,
    element("div", { class: "won", title: gettext("games won") }),
    element("div", { class: "score" }),
    element("div", { class: "clock" }),
    element("div", { class: "turn" }),
    element("div", { class: "rack", title: gettext("rack") }),
    element("div", { class: "buttons" }, ...PLAYER_ACTIONS.filter(({ verb }) => verb !== "name").map(buttonOf)),
  );
}

/** Keys that answer what is asked; gives whether this was one. */
function answerByKey(key, form, editor) {
  const { doubts, difference, question } = state;
  if (key === "d" && doubts.length > 0) {
    editor.choose(doubts[0].square);
  } else if (key === "y" && (editor.chosen !== null || doubts.length > 0)) {
    const doubt = doubtAt(editor.chosen ?? [], doubts) ?? doubts[0];
    if (doubt !== undefined) {
      form.send("confirm", [doubt.name]);
    }
  } else if (key === "q" && question !== "") {
    form.send("confirm", ["question"]);
  } else if (key === "o" && difference !== null) {
    form.send("board", ["wait"]);
  } else if (key === "n" && difference?.undone) {
    form.ask({ ...ACTIONS.find(({ verb }) => verb === "play"), text: difference.play });
  } else {
    return false;
  }
  return true;
}

/** Keys that choose a square; gives whether this was one. */
function stepByKey(key, event, editor) {
  if (key in STEPS) {
    editor.step(STEPS[key]);
    find("#board-place").focus({ preventScroll: true }); // else Enter presses the button that has the focus
  } else if (key === "Enter" && editor.chosen !== null && event.target === find("#board-place")) {
    editor.choose(editor.chosen);
  } else {
    return false;
  }
  return true;
}

function pressKey(event, form, editor, moves) {
  const key = keyOf(event);
  if (event.repeat && !(key in STEPS)) {
    if (key === "Enter") {
      event.preventDefault(); // neither presses a button again nor confirms what was refused
    }
    return; // a key that is held down is one command
  }
  if (find("#devices").open || find("#phone-code")?.open) {
    return;
  }
  if (find("#help").open) {
    if (key === "?") {
      event.preventDefault();
      toggleHelp();
    }
    return;
  }
  if (key === "Escape") {
    setText(find("#telling .answer"), "");
    editor.leave();
    moves.leave();
    form.cancel();
    return;
  }
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const action = [...ACTIONS, ...PLAYER_ACTIONS].find((each) => each.key === key);
  if (key === "?") {
    toggleHelp();
  } else if (form.chooseByKey(key) || answerByKey(key, form, editor) || stepByKey(key, event, editor)) {
    event.preventDefault();
    return;
  } else if (action === undefined) {
    return;
  } else if (!find(`#actions [data-verb="${action.verb}"]`)?.disabled) {
    form.act(action);
  }
  event.preventDefault();
}

open();
