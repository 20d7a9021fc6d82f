// The page for the hall: all tables with their scores, clocks and last plays, and the standings.

import { runClocks } from "./clock.js";
import { ask } from "./connection.js";
import { element, find, setText } from "./dom.js";
import { describeEnding } from "./ending.js";
import { fitLines } from "./fit.js";
import { flag } from "./flags.js";
import { formatNumber, gettext, ngettext } from "./language.js";
import { describeGame, describeRound, formatWins, isMatch } from "./match.js";
import { describeMove, formatScore } from "./move_kinds.js";
import { applyTheme, readOptions } from "./options.js";
import { followStandings } from "./standings.js";

const EVERY_MS = 1000;
const cards = new Map();
let round = "";

function playerRow() {
  const part = (name) => element("span", { class: name });
  return element("div", { class: "player" }, part("name"), part("total"), element("div", { class: "more" }, part("clock"), part("won")));
}

function addCard(table) {
  const card = element(
    "section",
    { class: "card" },
    element("h2", {}, element("span", { class: "label" }), element("span", { class: "match" })),
    element("div", { class: "players" }),
    element("p", { class: "news" }, element("bdi", { class: "name" }), element("span", { class: "what" })),
  );
  const players = card.querySelector(".players");
  const made = { card, players, clocks: runClocks((number) => players.children[number]?.querySelector(".clock")) };
  cards.set(table, made);
  find("#tables").append(card);
  return made;
}

/** Removes the cards of tables that the server no longer has. */
function dropCards(kept) {
  for (const [table, { card }] of cards) {
    if (!kept.has(table)) {
      card.remove();
      cards.delete(table);
    }
  }
}

function showTable(table) {
  const { card, players, clocks } = cards.get(table.table) ?? addCard(table.table);
  const over = describeEnding(table);
  const { round: own, table: label } = table.match;
  setText(card.querySelector(".label"), label === "" ? table.table : label);
  const parts = [own === round ? "" : describeRound(own), describeGame(table)];
  setText(card.querySelector(".match"), parts.filter((part) => part !== "").join(" · "));
  while (players.children.length < table.players.length) {
    players.append(playerRow());
  }
  while (players.children.length > table.players.length) {
    players.lastChild.remove();
  }
  const best = Math.max(...table.players.map(({ total }) => total));
  table.players.forEach((player, number) => {
    const row = players.children[number];
    row.classList.toggle("on-turn", player.on_turn);
    row.classList.toggle("winner", table.over !== null && table.final && player.total === best);
    const name = row.querySelector(".name");
    if (name.dataset.of !== `${player.flag} ${player.name}`) {
      name.dataset.of = `${player.flag} ${player.name}`;
      name.replaceChildren(...flag(player.flag), player.name);
    }
    const won = isMatch(table) ? ngettext("{n} game won", "{n} games won", player.won, { n: formatWins(player.won) }) : "";
    setText(row.querySelector(".won"), won);
    setText(row.querySelector(".total"), formatNumber(player.total));
  });
  clocks(table);
  card.classList.toggle("over", over !== "");
  const [name, news] = over === "" ? describeLast(table) : ["", over];
  setText(card.querySelector(".news .name"), name);
  setText(card.querySelector(".news .what"), news);
}

/** Says who had the last turn, and what it was. */
function describeLast({ last, move, players }) {
  if (move === null) {
    return ["", last];
  }
  const { name } = players[move.player];
  const play = `${move.position} ${move.word.join("")} ${formatScore(move)}`;
  return [name, ` ${move.word.length > 0 ? play : describeMove(move, players)}`];
}

/** Arranges the cards so that all of them fit on the page and are somewhat wider than high. */
function arrange(count) {
  const columns = Math.max(1, Math.ceil(Math.sqrt((count * innerWidth) / innerHeight / 2.4)));
  const place = find("#tables");
  place.style.setProperty("--columns", columns);
  place.style.setProperty("--rows", Math.ceil(count / columns));
}

async function load() {
  try {
    const tables = await (await ask("/api/event/tables")).json();
    tables.forEach(showTable);
    dropCards(new Set(tables.map(({ table }) => table)));
    arrange(tables.length);
    cards.forEach(({ card, players }) => {
      fitLines(players.querySelectorAll(".name"));
      fitLines(card.querySelectorAll(".news .what"));
    });
    find("#lost").hidden = true;
    document.documentElement.dataset.tables = tables.length;
  } catch {
    find("#lost").hidden = false;
  }
  setTimeout(load, EVERY_MS);
}

applyTheme(document.documentElement, readOptions());
await followStandings(find("#standings"), Infinity, (event) => {
  round = event.round;
  setText(find("h1"), event.title === "" ? gettext("Tables on air") : event.title);
  setText(find("#round"), describeRound(round));
});
await document.fonts.ready;
load();
