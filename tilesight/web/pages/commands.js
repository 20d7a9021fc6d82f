// The operator's commands: a verb and its words, as on the command line.

/** Sends a command to a table; gives what is wrong, or an empty text. */
export async function sendCommand(table, verb, words = [], sequence = null) {
  try {
    const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/commands`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ verb, words, sequence }),
    });
    if (answer.ok) {
      return "";
    }
    const text = await answer.text();
    try {
      return JSON.parse(text).message;
    } catch {
      return text.trim();
    }
  } catch {
    return "the program does not answer; nothing was changed";
  }
}

/**
 * The commands with their keys and their input. A `sure` command is only applied if the game is still as the operator
 * saw it.
 */
export const ACTIONS = [
  { key: "n", label: "Play", verb: "play", ask: "8D WORD", sure: true },
  { key: "p", label: "Pass", verb: "pass", sure: true },
  { key: "x", label: "Exchange", verb: "exchange", ask: "3, or the tiles, or nothing", optional: true, sure: true },
  { key: "c", label: "Challenge: off", verb: "challenge", sure: true },
  { key: "v", label: "Challenge: stays", verb: "challenge", words: ["lost"], sure: true },
  { key: "w", label: "Taken back", verb: "withdraw", sure: true },
  { key: "m", label: "Correct play", verb: "correct", ask: "8D WORD" },
  { key: "k", label: "Clocks on/off", verb: "clocks" },
  { key: "t", label: "Title", verb: "title", ask: "line for viewers", optional: true, whole: true },
  { key: "e", label: "End of game", verb: "end", ask: "Anna=AB, Jón= (tiles left)", optional: true, sure: true },
  { key: "u", label: "Undo", verb: "undo", sure: true },
  { key: "r", label: "Redo", verb: "redo", sure: true },
];
