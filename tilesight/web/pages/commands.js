// The one door for changes: a verb and its words, as on the command line.

/** Tells a table something; gives what is wrong, or an empty text. */
export async function tell(table, verb, words = [], sequence = null) {
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

/** Shows the token; gives what is wrong, or an empty text. */
export async function enter(token) {
  const answer = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return answer.ok ? "" : ((await answer.json()).message ?? "try again");
}

/**
 * What can be told, the key for it, and what is asked first. `sure` commands are only done if the game is still as
 * the operator saw it.
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
