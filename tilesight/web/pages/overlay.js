// The overlay page: shows the state of one table, part by part. Each part is drawn once and then only changed where it
// differs, so that nothing flickers.

import { Board } from "./board.js";
import { runClocks } from "./clock.js";
import { loadEdition, follow } from "./connection.js";
import { element, find, setText, showNotice } from "./dom.js";
import { describeEnding } from "./ending.js";
import { fitLines } from "./fit.js";
import { formatNumber, gettext, ngettext } from "./language.js";
import { describeMove, formatScore } from "./move_kinds.js";
import { applyTheme, chooseTable, readOptions } from "./options.js";
import { flag } from "./flags.js";
import { describeMatch, describePlayer, formatWins, isMatch } from "./match.js";
import { showMoments } from "./moments.js";
import { keepPicture } from "./picture.js";
import { columnNumber, isBlank, lettering, valueOf, writeToken } from "./tokens.js";

const MAX_MOVES = 4;
const PLAYERS = new Set(["scores", "clocks", "racks"]);

/** Events after which a moment of before may never have been. */
const CHANGES = new Set(["withdrawn", "undone", "redone", "edited", "correction", "board-taken", "new-game"]);

/** Makes the players' cards: names, points, clocks, racks. */
function playerCards(edition) {
  const cards = [];
  const place = find("#players");
  const add = () => {
    const card = element("div", { class: "player" });
    for (const name of ["name", "won", "meta", "score", "clock", "rack"]) {
      card.append(element("div", { class: name }));
    }
    cards.push({ card, rack: "", flag: null });
    place.append(card);
  };
  const piece = (number, name) => cards[number].card.querySelector(`.${name}`);
  const clocks = runClocks((number) => piece(number, "clock"));
  return (state) => {
    while (cards.length < state.players.length) {
      add();
    }
    cards.splice(state.players.length).forEach(({ card }) => card.remove());
    place.classList.toggle("crowded", cards.length > 2);
    state.players.forEach((player, number) => {
      if (`${player.flag}${player.name}` !== cards[number].flag) {
        cards[number].flag = `${player.flag}${player.name}`;
        piece(number, "name").replaceChildren(...flag(player.flag), player.name);
      }
      setText(piece(number, "won"), isMatch(state) ? formatWins(player.won) : "");
      setText(piece(number, "meta"), describePlayer(player));
      const total = formatNumber(player.total);
      setText(piece(number, "score"), total);
      piece(number, "score").classList.toggle("long", total.length > 3);
      cards[number].card.classList.toggle("on-turn", player.on_turn);
      const rack = player.rack.join(" ");
      if (rack !== cards[number].rack) {
        cards[number].rack = rack;
        piece(number, "rack").replaceChildren(...player.rack.map((token) => smallTile(token, edition)));
      }
    });
    fitLines(cards.map((_, number) => piece(number, "name")));
    clocks(state);
  };
}

function namesOf({ players }) {
  return players.map(({ name }) => name);
}

function smallTile(token, edition) {
  const text = token === "?" ? "" : lettering(token);
  const value = valueOf(token, edition);
  return element(
    "div",
    { class: `small-tile${[...text].length > 1 ? " wide" : ""}${value.length > 1 ? " high" : ""}` },
    text,
    element("span", { class: "value" }, value),
  );
}

/** Makes the letters of a play's word; those of earlier plays are paler, blanks are coloured. */
function wordLetters(move, edition) {
  const placed = new Set(move.placed.map(([row, column]) => String([row, column])));
  const [first] = move.placed;
  const down = /^[A-Z]/.test(move.position);
  const row = Number.parseInt(move.position.replace(/\D/g, ""), 10) - 1;
  const column = columnNumber(move.position.replace(/\d/g, ""));
  if (first === undefined) {
    return [];
  }
  return move.word.map((token, index) => {
    const square = String(down ? [row + index, column] : [row, column + index]);
    const kinds = [isBlank(token) ? "blank" : "", placed.has(square) ? "" : "through"];
    return element("span", { class: kinds.join(" ").trim() }, writeToken(token, edition));
  });
}

/** Says that the game is over, and who won, in place of the caption of the last play. */
function ending() {
  const place = find("#last");
  return (state) => {
    const text = describeEnding(state);
    place.classList.toggle("over", text !== "");
    setText(place.querySelector(".label"), text === "" ? gettext("Last play") : text);
    fitLines([place.querySelector(".caption")]);
    fitLines([place.querySelector(".play")]);
    const best = Math.max(...state.players.map(({ total }) => total));
    state.players.forEach(({ total }, number) =>
      find("#players").children[number]?.classList.toggle("winner", state.over !== null && state.final && total === best),
    );
  };
}

function lastPlay(edition) {
  const place = find("#last");
  const piece = (name) => place.querySelector(`.${name}`);
  let shown = "";
  return (state) => {
    const move = state.moves.at(-1);
    const key = JSON.stringify([state.moves.length, move, namesOf(state)]);
    if (key === shown) {
      return;
    }
    shown = key;
    place.classList.toggle("provisional", move?.provisional ?? false);
    setText(piece("who"), move === undefined ? "" : state.players[move.player].name);
    setText(piece("where"), move?.position ?? "");
    setText(piece("points"), move === undefined ? "" : formatScore(move));
    if (move === undefined) {
      piece("what").replaceChildren(gettext("no play yet"));
      setText(piece("words"), "");
    } else if (move.word.length > 0) {
      piece("what").replaceChildren(...wordLetters(move, edition));
      const words = move.words.map(([word, score]) => `${word} ${score}`);
      setText(piece("words"), [...words, ...(move.bonus ? [gettext("bonus {points}", { points: move.bonus })] : [])].join(", "));
    } else {
      piece("what").replaceChildren(describeMove(move, state.players));
      setText(piece("words"), "");
    }
  };
}

/** Makes the list of unseen tiles, in which each letter keeps its place. */
function unseenTiles() {
  const cells = new Map();
  const place = find("#unseen .letters");
  return ({ unseen }) => {
    if (unseen.tiles === null) {
      return;
    }
    if (cells.size === 0) {
      place.classList.toggle("few", unseen.tiles.length <= 28);
      place.classList.toggle("many", unseen.tiles.length > 39);
      for (const [token] of unseen.tiles) {
        const left = element("span", { class: "left" });
        const wide = [...token].length > 1;
        const cell = element("div", { class: wide ? "letter wide" : "letter" }, token, left);
        cells.set(token, { cell, left });
        place.append(cell);
      }
    }
    for (const [token, count] of unseen.tiles) {
      const { cell, left } = cells.get(token);
      setText(left, String(count));
      cell.classList.toggle("gone", count === 0);
    }
    setText(find("#unseen .count"), ngettext("{n} tile", "{n} tiles", unseen.total));
  };
}

function moveList() {
  const place = find("#moves ol");
  let shown = "";
  return (state) => {
    const moves = state.moves.slice(-MAX_MOVES);
    const key = JSON.stringify([state.moves.length, moves, namesOf(state)]);
    if (key === shown) {
      return;
    }
    shown = key;
    place.replaceChildren(
      ...moves.map((move) =>
        element(
          "li",
          {},
          element("span", { class: "who" }, state.players[move.player].name),
          element("span", { class: "where" }, move.position),
          element(
            "span",
            { class: "what" },
            ...(move.word.length > 0 ? move.word : [describeMove(move, state.players)]),
          ),
          element("span", { class: "score" }, formatScore(move) || "0"),
          element("span", { class: "total" }, formatNumber(move.total)),
        ),
      ),
    );
  };
}

async function show() {
  const chosen = readOptions();
  const page = document.documentElement;
  applyTheme(page, chosen);
  const scene = find("#scene");
  scene.classList.add(...chosen.parts);
  const players = chosen.parts.filter((part) => PLAYERS.has(part));
  if (chosen.parts.length === 1 || players.length === chosen.parts.length) {
    page.classList.add("alone");
    page.dataset.part = players.length > 0 ? "players" : chosen.parts[0];
  }
  const table = await chooseTable(chosen.table);
  const { title } = document;
  const edition = await loadEdition(table, () => {
    document.title = gettext("there is no table {table}", { table });
    showNotice(document.title);
  });
  document.title = title;
  showNotice("");
  const board = new Board(edition);
  find("#board").append(board.svg);
  const parts = [
    (state) => board.show(state),
    playerCards(edition),
    lastPlay(edition),
    ending(),
    unseenTiles(),
    moveList(),
    (state) => setText(find("#title p"), state.title),
    (state) => setText(find("#title .match"), describeMatch(state)),
  ];
  if (chosen.parts.includes("picture")) {
    keepPicture(`/api/tables/${encodeURIComponent(table)}/board.jpg`, find("#picture canvas"), 1000);
  }
  const moments = showMoments(find("#moments"), chosen.seconds);
  await document.fonts.ready;
  follow(table, {
    onState(state) {
      if (state.edition !== edition.name) {
        location.reload(); // another game has begun, with another board
        return;
      }
      scene.hidden = false;
      parts.forEach((part) => part(state));
      page.dataset.sequence = state.sequence;
      requestAnimationFrame(() =>
        setTimeout(() =>
          document.dispatchEvent(new CustomEvent("painted", { detail: { sequence: state.sequence } })),
        ),
      );
    },
    onMoments: chosen.parts.includes("moments") ? moments.add : undefined,
    onEvents(sequence, events) {
      if (events.some(({ event }) => CHANGES.has(event))) {
        moments.clear();
      }
      document.dispatchEvent(new CustomEvent("heard", { detail: { sequence, events } }));
    },
  });
}

show();
