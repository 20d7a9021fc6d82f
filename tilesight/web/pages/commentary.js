// The commentators' page: everything at once, nothing to change.

import { Board } from "./board.js";
import { runClocks } from "./clock.js";
import { ask, askUntilAnswered, follow, loadEdition } from "./connection.js";
import { element, find, setText } from "./dom.js";
import { describeEnding } from "./ending.js";
import { formatNumber, formatPercent, gettext, ngettext, translateMessage } from "./language.js";
import { languageChoice } from "./language_choice.js";
import { askForTable, isRefused, offerTables, openSession, refuseTable } from "./login.js";
import { nameMove } from "./move_kinds.js";
import { lettering } from "./tokens.js";
import { markedWord, markedWords } from "./word_marks.js";

const ASK_AGAIN_MS = 2000;
const NOTICE_MS = 300; // most answers come sooner, and no note blinks
const ANALYSIS_TIMEOUT_MS = 60_000; // MAGPIE takes 20 s at most, after another table's question

async function open() {
  const { tables, table } = await openSession();
  const address = `/api/tables/${encodeURIComponent(table)}/commentary`;
  const answer = await askUntilAnswered(address);
  if (isRefused(answer)) {
    await askForTable(tables, table);
    return;
  }
  if ([404, 422].includes(answer.status)) {
    await refuseTable(answer, tables);
    return;
  }
  offerTables(tables, table);
  find("#links").append(languageChoice());
  start(table, address, await loadEdition(table));
}

function start(table, address, edition) {
  const board = new Board(edition);
  find("#board").append(board.svg);
  find("#desk").hidden = false;
  const showClocks = runClocks((number) => find("#players").children[number]?.querySelector(".clock"));
  const plays = new Answers(`${address}/plays`, "the plays are being searched", showPlays);
  const chances = new Answers(`${address}/chances`, "MAGPIE is at work", showChances);
  follow(table, {
    view: "/commentary",
    onState(state) {
      if (state.edition !== edition.name) {
        location.reload();
        return;
      }
      board.show(state);
      setText(find("#title"), state.title);
      setText(find("#over"), describeEnding(state));
      showPlayers(state);
      showClocks(state);
      showUnseen(state);
      showMoves(state);
      plays.ask(state);
      chances.ask(state);
      document.documentElement.dataset.sequence = state.sequence;
    },
    onLost: (isLost) => find("#lost").classList.toggle("lost", isLost),
    onMissing: () => location.reload(), // the page then names the tables that there are
  });
}

/**
 * Answers to one question about each state. While one is awaited, only the newest other state is remembered. A note
 * replaces the answer to another position.
 */
class Answers {
  constructor(address, waitingNote, show) {
    this.address = address;
    this.waitingNote = waitingNote;
    this.show = show;
    this.state = null;
    this.position = "";
    this.isAsking = false;
  }

  async ask(state) {
    this.state = state;
    const position = JSON.stringify([state.moves, state.players.map(({ on_turn, rack }) => on_turn && rack)]);
    if (position !== this.position) {
      this.position = position;
      clearTimeout(this.notice);
      this.notice = setTimeout(() => this.show({ plays: [], count: 0, note: this.waitingNote }), NOTICE_MS);
    }
    if (this.isAsking) {
      return;
    }
    this.isAsking = true;
    for (let asked = null; asked !== this.state; ) {
      asked = this.state;
      const isBusy = await this.answer();
      if (isBusy && asked === this.state) {
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
        asked = null;
      }
    }
    this.isAsking = false;
  }

  /** Shows the answer to the position; gives whether another question is being answered, so that it is asked again. */
  async answer() {
    const position = this.position;
    try {
      const answer = await ask(this.address, { signal: AbortSignal.timeout(ANALYSIS_TIMEOUT_MS) });
      if (answer.ok) {
        const found = await answer.json();
        if (position === this.position) {
          clearTimeout(this.notice);
          this.show(found);
        }
        return found.is_busy;
      }
    } catch {
      // the server is away: the next state asks again
    }
    return false;
  }
}

function showNote(place, note) {
  setText(place.querySelector(".note"), translateMessage(note));
}

function showPlays({ plays, note, count }) {
  const place = find("#plays");
  showNote(place, note);
  setText(place.querySelector(".of"), note === "" ? ngettext("of {n} play", "of {n} plays", count) : "");
  place.querySelector("tbody").replaceChildren(
    ...plays.map(({ position, score, words, bonus }) =>
      element(
        "tr",
        { class: bonus > 0 ? "bingo" : "" },
        element("td", { class: "number" }, formatNumber(score)),
        element("td", { class: "where" }, position),
        element("td", { class: "words" }, ...words.map(([text]) => markedWord(text, true))),
      ),
    ),
  );
}

function showChances({ plays, note }) {
  const place = find("#chances");
  showNote(place, note);
  place.querySelector("tbody").replaceChildren(
    ...plays.map(({ play, score, chance }) =>
      element(
        "tr",
        {},
        element("td", { class: "number" }, formatPercent(chance)),
        element("td", {}, play),
        element("td", { class: "number" }, formatNumber(score)),
      ),
    ),
  );
}

function showPlayers({ players }) {
  const place = find("#players");
  if (place.children.length !== players.length) {
    const names = ["name", "turn visually-hidden", "score", "clock", "rack"];
    const card = () => element("div", { class: "player" }, ...names.map((name) => element("div", { class: name })));
    place.replaceChildren(...players.map(card));
  }
  players.forEach((player, number) => {
    const card = place.children[number];
    card.classList.toggle("on-turn", player.on_turn);
    setText(card.querySelector(".name"), player.name);
    setText(card.querySelector(".turn"), player.on_turn ? gettext("on turn") : "");
    setText(card.querySelector(".score"), formatNumber(player.total));
    const tiles = player.rack.map((token) => element("span", { class: "rack-tile" }, token === "?" ? "?" : lettering(token)));
    card.querySelector(".rack").replaceChildren(...(tiles.length > 0 ? tiles : [gettext("rack not known")]));
  });
}

/** The tiles that are neither on the board nor on a rack that is known. */
function showUnseen({ unseen, players }) {
  const place = find("#unseen");
  const left = new Map(unseen.tiles ?? []);
  for (const token of players.flatMap(({ rack }) => rack)) {
    left.set(token, (left.get(token) ?? 0) - 1);
  }
  const tiles = [...left].filter(([, count]) => count > 0);
  const total = tiles.reduce((sum, [, count]) => sum + count, 0);
  setText(place.querySelector(".of"), unseen.tiles === null ? "" : ngettext("{n} tile", "{n} tiles", total));
  place
    .querySelector(".letters")
    .replaceChildren(...tiles.map(([token, count]) => element("span", {}, token, element("sub", {}, String(count)))));
}

function showMoves({ moves, players, word_checks: checks }) {
  find("#moves ol").replaceChildren(
    ...moves
      .map((move, number) =>
        element(
          "li",
          {},
          element("span", { class: "who" }, players[move.player].name),
          element("span", { class: "where" }, move.position),
          element(
            "span",
            { class: "what" },
            ...(move.words.length > 0 ? markedWords(move, checks[number]) : [nameMove(move, players)]),
          ),
          element("span", { class: "score" }, formatNumber(move.score)),
          element("span", { class: "total" }, formatNumber(move.total)),
        ),
      )
      .reverse(),
  );
}

open();
