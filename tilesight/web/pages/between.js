// The line between two games: which game it is, and the buttons for the countdown and the next game.

import { button } from "./attention.js";
import { ACTIONS } from "./commands.js";
import { element, find } from "./dom.js";
import { describeMatch } from "./match.js";

const BETWEEN = ACTIONS.filter(({ verb }) => verb === "countdown" || verb === "new-game");
let shown = "";

/** Shows that line for a state; the keys of the buttons work at any time. */
export function showBetween(state, form) {
  const match = describeMatch(state);
  const isBetween = state.over !== null || state.moves.length === 0;
  if (`${isBetween} ${match}` === shown) {
    return;
  }
  shown = `${isBetween} ${match}`;
  const buttons = BETWEEN.map((action) => button(action.label, () => form.act(action), { title: action.help }, action.key.toUpperCase()));
  find("#telling .between").replaceChildren(element("span", { class: "match" }, match), element("span", { class: "buttons" }, ...(isBetween ? buttons : [])));
}
