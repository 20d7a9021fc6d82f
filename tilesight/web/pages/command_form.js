// The form of the operator's commands: buttons, and an input for those that need words.

import { ACTIONS, sendCommand } from "./commands.js";
import { element, find, setText } from "./dom.js";

/** Splits what was typed into words; players' names at the end of a game may have spaces. */
function wordsOf(action, text) {
  const trimmed = text.trim();
  if (trimmed === "") {
    return action.first ?? [];
  }
  const parts = action.whole ? [trimmed] : trimmed.split(action.verb === "end" ? /\s*,\s*/ : /\s+/);
  return [...(action.first ?? []), ...parts];
}

/** Sends commands to one table. */
export class CommandForm {
  /**
   * @param {string} table the table's name
   * @param {Function} getState gives the newest state
   */
  constructor(table, getState) {
    this.table = table;
    this.getState = getState;
    this.asking = null;
    find("#actions").append(...ACTIONS.map((action) => this.actionButton(action)));
    find("#telling form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    find("#telling .cancel").addEventListener("click", () => this.cancel());
  }

  actionButton(action) {
    const made = element(
      "button",
      { type: "button", "data-verb": action.verb },
      action.label,
      element("kbd", {}, action.key.toUpperCase()),
    );
    made.addEventListener("click", () => this.act(action));
    return made;
  }

  /** Sends a command; with a sequence, only if the game is still as it was then. Gives whether it was applied. */
  async send(verb, words = [], sequence = null) {
    const wrong = await sendCommand(this.table, verb, words, sequence);
    setText(find("#telling .answer"), wrong);
    return wrong === "";
  }

  /** Sends an action's command, or asks for its words first. */
  act(action) {
    if (action.verb === "clocks") {
      const isRunning = this.getState().players.some(({ clock }) => clock?.running);
      this.send(isRunning ? "stop" : "start");
    } else if (action.ask !== undefined) {
      this.ask(action);
    } else {
      this.send(action.verb, action.words, action.sure ? this.getState().sequence : null);
    }
  }

  /** Asks for the words of an action. */
  ask(action) {
    this.asking = { ...action, sequence: action.sure ? this.getState().sequence : null };
    find("#telling").classList.add("asking");
    setText(find("#telling .answer"), "");
    setText(find("#telling .verb"), action.label);
    const input = find("#words");
    input.placeholder = action.ask;
    input.value = "";
    input.focus();
  }

  async submit() {
    const asked = this.asking;
    if (asked === null || (find("#words").value.trim() === "" && !asked.optional)) {
      return;
    }
    if (await this.send(asked.verb, wordsOf(asked, find("#words").value), asked.sequence)) {
      this.cancel();
    } else if (asked.sequence !== null) {
      asked.sequence = this.getState().sequence; // who has read the refusal and repeats the command means it
    }
  }

  /** Closes the input. */
  cancel() {
    this.asking = null;
    find("#telling").classList.remove("asking");
    find("#board-place").focus();
  }
}
