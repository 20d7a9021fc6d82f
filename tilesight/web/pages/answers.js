// The answers to what a page asks the server for: their JSON, or why there is none.

import { gettext, translateMessage } from "./language.js";

export const UNREACHABLE = gettext("The server cannot be reached. Try again.");

/** Waits for an answer; gives its JSON as `body`, or null and as `problem` why there is none. */
export async function readAnswer(asked) {
  try {
    const answer = await asked;
    const body = await answer.json();
    const problem = answer.ok ? "" : translateMessage(body.message ?? "") || gettext("try again");
    return { body: answer.ok ? body : null, problem };
  } catch {
    return { body: null, problem: UNREACHABLE };
  }
}
