// The operator's commands: a verb and its words, as on the command line.

import { ask, postJson } from "./connection.js";
import { gettext } from "./language.js";
import { tokensText } from "./tokens.js";

/** Sends a command to a table; gives what is wrong, or an empty text, and what to check. */
export async function sendCommand(table, verb, words = [], sequence = null) {
  try {
    const answer = await postJson(`/api/tables/${encodeURIComponent(table)}/commands`, { verb, words, sequence });
    const message = await messageOf(answer);
    return answer.ok ? ["", message] : [message, ""];
  } catch {
    return [gettext("the program does not answer; look at the table before you repeat it"), ""];
  }
}

/** Gives why a request was refused, or what to check. */
async function messageOf(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text).message;
  } catch {
    return text.trim();
  }
}

/** Players from whom a challenger is chosen: all but the owner of the last play. */
function challengers({ players, moves }) {
  const owner = moves.findLast((move) => move.kind === "play")?.player;
  return players.map(({ name }) => name).filter((_, number) => number !== owner);
}

/** Players who may be on turn next: all but the one who is. */
function waiting({ players }) {
  return players.filter((player) => !player.on_turn).map(({ name }) => name);
}

function everybody({ players }) {
  return players.map(({ name }) => name);
}

/** The words of the last play. */
function newestWords({ moves }) {
  const words = moves.findLast((move) => move.kind === "play")?.words ?? [];
  return words.map(([text]) => text).join(" ");
}

/** Asks whether the table's list has words; gives each word with that, or null and what is wrong. */
export async function checkWords(table, words) {
  const query = new URLSearchParams(words.map((word) => ["words", word]));
  try {
    const answer = await ask(`/api/tables/${encodeURIComponent(table)}/commentary/words?${query}`);
    return answer.ok ? [(await answer.json()).words, gettext("this table has no word list")] : [null, await messageOf(answer)];
  } catch {
    return [null, gettext("the program does not answer; look at the table before you repeat it")];
  }
}

/** An example with the players of the game: `Anna=AB, Jón=`. */
function tilesLeft({ players }) {
  return players.map(({ name }, number) => `${name}=${number === 0 ? "AB" : ""}`).join(", ");
}

/** The racks that are known, to be settled: `Anna=AB`. One that is not known may follow from the others. */
function racksLeft({ players }, edition) {
  const known = players.filter(({ rack }) => rack.length > 0);
  return known.map(({ name, rack }) => `${name}=${tokensText(rack, edition)}`).join(", ");
}

/**
 * The commands with their keys and their input. A `sure` command is only applied if the game is still as the operator
 * saw it. What it asks for is shown by an example, `ask`. A `hidden` one has no button of its own, but where it is needed. `who` gives the players to choose from; where there is one only, no question is asked.
 */
export const ACTIONS = [
  { key: "n", label: gettext("Play"), verb: "play", ask: gettext("8D WORD"), sure: true, help: gettext("enter a play") },
  { key: "p", label: gettext("Pass"), verb: "pass", sure: true, help: gettext("the player on turn passes") },
  { key: "x", label: gettext("Exchange"), verb: "exchange", ask: gettext("3, or the tiles, or nothing"), optional: true, sure: true, help: gettext("the player on turn exchanges tiles") },
  { key: "c", label: gettext("Challenge: off"), verb: "challenge", sure: true, help: gettext("the last play is challenged off; within 10 s of a withdrawal that the camera saw: that one was a challenge") },
  { key: "v", label: gettext("Challenge: stays"), verb: "challenge", words: ["lost"], who: challengers, sure: true, help: gettext("the last play stays; at three and four players: who challenged it") },
  { key: "w", label: gettext("Taken back"), verb: "withdraw", sure: true, help: gettext("its player takes the last play back and plays again") },
  { key: "g", label: gettext("Turn"), verb: "turn", who: waiting, sure: true, help: gettext("it is this player's turn") },
  { key: "m", label: gettext("Correct play"), verb: "correct", ask: gettext("8D WORD"), help: gettext("the play there was this one") },
  { key: "b", label: gettext("Take the board"), verb: "board", help: gettext("the record gets the tiles that are on the board") },
  { key: "l", label: gettext("Edit moves"), verb: "edit", help: gettext("choose a move in the list: arrows, then I insert before, Enter change, Delete, A accept") },
  { key: ".", label: gettext("Check words"), verb: "words", ask: gettext("WORD WORD"), textOf: newestWords, help: gettext("whether the table's list has these words") },
  { key: "k", label: gettext("Clocks on/off"), verb: "clocks", help: gettext("start and stop the clocks") },
  { key: "t", label: gettext("Title"), verb: "title", ask: gettext("line for viewers"), textOf: (state) => state.own_title, optional: true, whole: true, help: gettext("the line for viewers") },
  { key: "e", label: gettext("End of game"), verb: "end", ask: tilesLeft, textOf: racksLeft, optional: true, sure: true, help: gettext("settle the tiles left") },
  { key: "j", label: gettext("Overtime"), verb: "overtime", hidden: true, sure: true, help: gettext("after the end: points off for the overtime that the clocks show") },
  { key: "h", label: gettext("Countdown"), verb: "countdown", hidden: true, ask: gettext("10:00, or at 19:30, or nothing"), optional: true, help: gettext("what the start page and the break page count down") },
  { key: "z", label: gettext("New game"), verb: "new-game", hidden: true, ask: gettext("nothing, or as-is, or void"), optional: true, sure: true, help: gettext("archives the game and begins the next one with the sides swapped; as-is: its score was not settled, void: it does not count") },
  { key: "u", label: gettext("Undo"), verb: "undo", sure: true, help: gettext("step back") },
  { key: "r", label: gettext("Redo"), verb: "redo", sure: true, help: gettext("step forward again") },
];

/** The commands for one player, with a button on each card; by key the player is asked first. */
export const PLAYER_ACTIONS = [
  { key: "s", label: gettext("Rack"), verb: "rack", ask: "ABC?", optional: true, who: everybody, help: gettext("the tiles on a rack") },
  { key: "i", label: gettext("Time"), verb: "time", ask: "12:30", who: everybody, help: gettext("the time left") },
  { key: "a", label: gettext("Run"), verb: "start", who: everybody, help: gettext("start a player's clock") },
  { key: ",", label: gettext("Name"), verb: "name", ask: gettext("new name"), whole: true, who: everybody, help: gettext("change a player's name, in earlier moves too") },
  { key: "f", label: gettext("Penalty"), verb: "clock", ask: "10", who: everybody, sure: true, help: gettext("points off for overtime") },
];

/** Keys that are no commands. */
export const OTHER_KEYS = [
  [gettext("arrows"), gettext("choose a square; Enter corrects it")],
  ["D", gettext("the first doubtful tile: type its letter, Enter")],
  ["Y", gettext("the doubtful tile is right")],
  ["Q", gettext("seen: the question is answered; doubtful tiles stay doubtful")],
  ["O", gettext("the tiles are being taken off: ask again in half a minute")],
  ["1 - 4", gettext("choose a player where one is asked for")],
  ["Esc", gettext("leave")],
  [gettext("? or F1"), gettext("this page")],
];
