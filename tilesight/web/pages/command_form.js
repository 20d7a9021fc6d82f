// The form of the operator's commands: buttons, an input for those that need words, and a choice of players.

import { button } from "./attention.js";
import { ACTIONS, checkWords, sendCommand } from "./commands.js";
import { element, find, setText } from "./dom.js";
import { gettext, translateMessage } from "./language.js";
import { markedWord } from "./word_marks.js";

/** Commands whose words have tiles, which are blanks in lower case. */
const TILES = ["play", "correct", "exchange", "rack", "end", "insert", "change"];

/** The word of a play after its square. */
const PLAY = /(?:^|\s)(?:\d+[a-z]+|[a-z]+\d+)\s+(\S+)/i;

/** Blanks of an edition that does not say how many it has; that of `parse_typed_play`. */
const USUAL_BLANKS = 2;

/** Lists the tiles of a typed word that are blanks: lower case, the longest tiles first, as the server reads them. */
function blanksIn(word, tokens) {
  const lower = tokens.map((token) => token.toLowerCase()).sort((one, other) => other.length - one.length);
  const several = lower.filter((token) => token.length > 1).map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const tiles = word.match(new RegExp(["\\[[^\\]]*\\]", ...several, "."].join("|"), "gu")) ?? [];
  return tiles.map((tile) => tile.replace(/[[\]]/g, "")).filter((tile) => tile !== tile.toUpperCase());
}

/** Drops the verb, and the player or number after it, where the whole command was typed. */
function withoutCommand({ verb, words = [] }, parts) {
  const known = [verb, ...words].join(" ").toLowerCase().split(/\s+/);
  const begins = (count) => known.slice(0, count).every((word, number) => word === parts[number]?.toLowerCase());
  if (begins(known.length)) {
    return parts.slice(known.length);
  }
  return begins(1) && (verb !== "rack" || parts.length > 1) ? parts.slice(1) : parts; // RACK alone is four tiles
}

/** Splits what was typed into words; a title or a name is taken as it is, and a player may be called like a verb. */
function wordsOf(action, text, players) {
  const typed = text.trim();
  const parts = typed.split(/\s+/).filter(Boolean);
  const begins = (sign) => players.some(({ name }) => `${typed} `.toLowerCase().startsWith(`${name}${sign}`.toLowerCase()));
  const isName = begins(" ") || begins("="); // not a verb that begins like a name
  const given = action.whole ? [typed].filter(Boolean) : isName ? parts : withoutCommand(action, parts);
  return [...(action.words ?? []), ...given];
}

/** Sends commands to one table. */
export class CommandForm {
  /**
   * @param {string} table the table's name
   * @param {object} edition the table's edition, from the API
   * @param {Function} getState gives the newest state
   * @param {object} others what other actions do, by their verb
   */
  constructor(table, edition, getState, others) {
    this.table = table;
    this.edition = edition;
    this.getState = getState;
    this.others = others;
    this.asking = null;
    this.choosing = null;
    this.sentFrom = null; // the state in which a command was sent whose state has not come yet
    const buttons = ACTIONS.filter(({ hidden }) => !hidden).map((action) => {
      const attributes = { "data-verb": action.verb, title: action.help };
      return button(action.label, () => this.act(action), attributes, action.key.toUpperCase());
    });
    find("#actions").append(...buttons);
    find("#telling form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    find("#words").addEventListener("input", () => this.showBlanks());
    find("#telling .cancel").addEventListener("click", () => this.cancel());
  }

  /** Sends a command; with a sequence, only if the game is still as it was then. Gives whether it was applied. */
  async send(verb, words = [], sequence = null) {
    const from = this.getState().sequence;
    this.sentFrom = from;
    const answer = find("#telling .answer");
    setText(answer, ""); // now, since a late answer must not clear that to another command
    const [wrong, caution] = await sendCommand(this.table, verb, words, sequence);
    if (wrong !== "" && this.sentFrom === from) {
      this.sentFrom = null;
    }
    if (wrong !== "" || caution !== "") {
      setText(answer, translateMessage(wrong || caution));
      answer.classList.toggle("caution", wrong === "");
      find("#telling").scrollIntoView({ block: "nearest" }); // a small screen may show another part of the page
    }
    return wrong === "";
  }

  /** Sends an action's command, or asks for its player and its words first; `sequence` is that of the key press. */
  act(action, sequence = this.getState().sequence) {
    if (this.choosing !== null) {
      this.cancel(); // another command is no answer to the question
    }
    const players = action.who?.(this.getState()) ?? [];
    if (this.others[action.verb] !== undefined) {
      this.others[action.verb]();
    } else if (action.verb === "clocks") {
      const isRunning = this.getState().players.some(({ clock }) => clock?.running);
      this.send(isRunning ? "stop" : "start");
    } else if (players.length > 1) {
      this.choose(action, players, sequence);
    } else if (players.length === 1) {
      this.act({ ...action, who: undefined, words: [...(action.words ?? []), players[0]] }, sequence);
    } else if (action.ask !== undefined) {
      this.ask(action, sequence);
    } else {
      this.send(action.verb, action.words, action.sure ? sequence : null);
    }
  }

  /** Asks for a player by buttons with the keys 1 to 4. */
  choose(action, players, sequence) {
    this.cancel();
    this.choosing = players.map((name) => () => {
      this.cancel();
      const words = [...(action.words ?? []), name];
      this.act({ ...action, who: undefined, label: `${action.label}: ${name}`, words }, sequence);
    });
    const buttons = players.map((name, number) => button(name, this.choosing[number], {}, String(number + 1)));
    const place = find("#telling .choices");
    place.replaceChildren(element("span", { class: "verb" }, gettext("{action}: who?", { action: action.label })), ...buttons);
    place.hidden = false;
    find("#telling").scrollIntoView({ block: "nearest" });
  }

  /** Takes the key of a player who is asked for; gives whether it was one. */
  chooseByKey(key) {
    const chosen = this.choosing?.[Number(key) - 1];
    chosen?.();
    return chosen !== undefined;
  }

  /** Asks for the words of an action. */
  ask(action, sequence = this.getState().sequence) {
    this.cancel();
    this.asking = { ...action, sequence: action.sure ? sequence : null };
    find("#telling").classList.add("asking");
    setText(find("#telling .answer"), "");
    setText(find("#telling form .verb"), action.label);
    const input = find("#words");
    input.placeholder = typeof action.ask === "function" ? action.ask(this.getState()) : action.ask;
    input.autocapitalize = TILES.includes(action.verb) ? "characters" : action.whole ? "sentences" : "none";
    input.value = action.text ?? action.textOf?.(this.getState(), this.edition) ?? "";
    input.focus();
    input.select();
  }

  /** Takes a new state; gives whether a command of this console led to it. */
  owns({ sequence }) {
    const isOwn = this.sentFrom !== null && sequence > this.sentFrom;
    if (isOwn) {
      this.sentFrom = null;
    }
    return isOwn;
  }

  /** Closes the input whose command was sent, once what it led to is shown: the next key is for that. */
  finish() {
    const asked = this.asking;
    if (asked?.isSent && asked.verb !== "words") {
      asked.isFinished = true;
      this.cancel();
      asked.onDone?.();
    }
  }

  /** Opens the input of a refused command again, unless the operator has begun something else. */
  reopen(asked, text) {
    if (this.asking === null && this.choosing === null && !document.activeElement.matches("input")) {
      const answer = find("#telling .answer").textContent;
      this.ask({ ...asked, text, isSent: false, isFinished: false }, asked.sequence);
      setText(find("#telling .answer"), answer);
    }
  }

  /** Shows which letters of a play that is typed are blanks. */
  showBlanks() {
    if (["play", "correct", "insert", "change"].includes(this.asking?.verb)) {
      const word = PLAY.exec(find("#words").value)?.[1] ?? "";
      const blanks = blanksIn(word, Object.keys(this.edition.counts));
      const isTyped = word === word.toLowerCase() && blanks.length > (this.edition.counts["?"] ?? USUAL_BLANKS);
      const letters = isTyped ? "" : blanks.join(" "); // the server takes a word in lower case as it must be
      setText(find("#telling .checked"), letters === "" ? "" : gettext("lower case is a blank: {letters}", { letters }));
    }
  }

  async submit() {
    const asked = this.asking;
    if (asked === null || asked.isSent || (find("#words").value.trim() === "" && !asked.optional)) {
      return;
    }
    const text = find("#words").value;
    asked.isSent = true; // a second Enter is no second command
    if (asked.verb === "words") {
      await this.checkWords(text, asked);
    } else if (!(await this.send(asked.verb, wordsOf(asked, text, this.getState().players), asked.sequence))) {
      // Who has read the refusal and repeats the command means it.
      asked.sequence = asked.sequence === null ? null : this.getState().sequence;
      if (asked.isFinished) {
        this.reopen(asked, text); // it was another command that led to the state
      }
    } else if (this.asking === asked) {
      this.cancel(); // the operator may have left it, and begun something else
      asked.onDone?.();
    }
    asked.isSent = false;
  }

  /** Shows whether the table's list has words; the input stays open for the next ones. */
  async checkWords(text, asked) {
    const [found, wrong] = await checkWords(this.table, text.trim().split(/[\s,]+/));
    if (this.asking === asked) {
      const parts = found?.map(([word, isListed]) => markedWord(word, isListed));
      find("#telling .checked").replaceChildren(...(parts ?? [translateMessage(wrong)]));
      find("#words").select();
    }
  }

  /** Closes the input. */
  cancel() {
    find("#telling .checked").replaceChildren();
    this.asking = this.choosing = null;
    find("#telling").classList.remove("asking");
    find("#telling .choices").hidden = true;
    find("#board-place").focus();
  }
}
