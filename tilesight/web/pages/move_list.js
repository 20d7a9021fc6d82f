// The list of moves, in which each can be changed: a move is chosen by arrows or by a click.

import { button } from "./attention.js";
import { element, find, setText } from "./dom.js";
import { keyOf } from "./keys.js";
import { formatNumber, gettext } from "./language.js";
import { nameMove } from "./move_kinds.js";
import { markedWords } from "./word_marks.js";

/** Says which moves lead to a chosen one. */
function pathTo(chosen, { moves }) {
  return JSON.stringify(moves.slice(0, chosen + 1).map(({ player, kind, position }) => [player, kind, position]));
}

/** Shows the moves, the newest first, and edits them. */
export class MoveList {
  /** @param {import("./command_form.js").CommandForm} form sends the commands */
  constructor(form) {
    this.form = form;
    this.state = null;
    this.chosen = null;
    this.shown = "";
    this.list = find("#moves ol");
    const buttons = [
      [gettext("Insert before"), "I", () => this.insert()],
      [gettext("Change"), "Enter", () => this.change()],
      [gettext("Delete"), "Del", () => this.send("delete")],
      [gettext("Accept"), "A", () => this.send("accept")],
    ].map(([label, key, act]) => button(label, act, {}, key));
    this.buttons = buttons;
    this.changeButton = buttons[1];
    find("#moves .edit").append(...buttons);
    this.list.addEventListener("keydown", (event) => this.pressKey(event));
  }

  /** Shows a state. The choice stays with its number, but goes if somebody else changed the moves up to it. */
  show(state, isOwn) {
    const before = this.state;
    this.state = state;
    if (!isOwn && this.chosen !== null && pathTo(this.chosen, before) !== pathTo(this.chosen, state)) {
      this.chosen = null;
      if (["insert", "change"].includes(this.form.asking?.verb)) {
        this.form.cancel(); // it named the move by its number
      }
    }
    if (this.chosen !== null && this.chosen >= state.moves.length) {
      this.chosen = state.moves.length > 0 ? state.moves.length - 1 : null;
    }
    const { moves, players, word_checks: checks } = state;
    const text = JSON.stringify([moves, players.map(({ name }) => name), checks]);
    if (text !== this.shown) {
      this.shown = text;
      const hasFocus = this.list.contains(document.activeElement);
      this.list.replaceChildren(...moves.map((move, number) => this.line(move, number)).reverse());
      if (hasFocus) {
        (this.chosenLine() ?? find("#board-place")).focus();
      }
    }
    this.mark();
  }

  line(move, number) {
    const made = element(
      "li",
      {
        tabindex: "-1",
        "data-number": number,
        class: move.provisional ? "provisional" : "",
        title: move.provisional ? gettext("the player may go on with this play") : null,
      },
      element("span", { class: "number" }, String(number + 1)),
      element("span", { class: "who" }, this.state.players[move.player].name),
      element("span", { class: "where" }, move.position),
      element("span", { class: "what" }, ...this.what(move, number)),
      element("span", { class: "score" }, formatNumber(move.score)),
      element("span", { class: "total" }, formatNumber(move.total)),
    );
    made.addEventListener("click", () => this.choose(number));
    return made;
  }

  /** The words of a move, each with whether the table's list has it; what it was if it has no words. */
  what(move, number) {
    const checks = this.state.word_checks[number];
    if (checks !== undefined && move.words.length > 0) {
      return markedWords(move, checks);
    }
    return [move.word.length > 0 ? move.word.join("") : nameMove(move, this.state.players)];
  }

  chosenLine() {
    return this.list.querySelector(`[data-number="${this.chosen}"]`);
  }

  /** Chooses a move; without a number, the newest one. */
  choose(number = this.state.moves.length - 1) {
    if (number < 0 || number >= this.state.moves.length) {
      setText(find("#telling .answer"), this.state.moves.length > 0 ? "" : gettext("no move is there to edit"));
      return;
    }
    this.chosen = number;
    this.mark();
    this.chosenLine().focus();
  }

  mark() {
    for (const line of this.list.children) {
      const isChosen = line === this.chosenLine();
      line.classList.toggle("chosen", isChosen);
      line.setAttribute("aria-current", isChosen);
    }
    this.buttons.forEach((button) => {
      button.disabled = this.chosen === null;
    });
    this.changeButton.disabled = !this.state?.change_texts[this.chosen];
  }

  pressKey(event) {
    const key = keyOf(event);
    const acts = {
      ArrowUp: () => this.choose(Math.min(this.chosen + 1, this.state.moves.length - 1)),
      ArrowDown: () => this.choose(Math.max(this.chosen - 1, 0)),
      i: () => this.insert(),
      Enter: () => this.change(),
      Delete: () => this.send("delete"),
      Backspace: () => this.send("delete"),
      a: () => this.send("accept"),
    };
    if (acts[key] !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat || key.startsWith("Arrow")) {
        acts[key]();
      }
    }
  }

  insert() {
    const { moves, players } = this.state;
    const { name } = players[moves[this.chosen].player];
    this.ask("insert", gettext("Insert before {number}", { number: this.chosen + 1 }), `${name} pass`);
  }

  change() {
    const text = this.state.change_texts[this.chosen];
    if (text) {
      this.ask("change", gettext("Change {number}", { number: this.chosen + 1 }), text);
    }
  }

  ask(verb, label, text) {
    const number = String(this.chosen + 1);
    const ask = "Anna pass, exchange 3, play 8D WORD";
    const onDone = () => this.choose(this.chosen ?? undefined);
    this.form.ask({ verb, label, words: [number], ask, text, sure: true, onDone });
  }

  async send(verb) {
    const before = this.state;
    const isDone = await this.form.send(verb, [String(this.chosen + 1)], before.sequence);
    if (!isDone && this.chosen !== null && pathTo(this.chosen, before) !== pathTo(this.chosen, this.state)) {
      this.leave(); // somebody else was faster: the number is another move's now
    }
  }

  /** Ends the choice. */
  leave() {
    this.chosen = null;
    this.mark();
  }
}
