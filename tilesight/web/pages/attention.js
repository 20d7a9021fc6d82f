// What the operator should look at: the board and the record differ, a question, uncertain tiles, broken rules.

import { ACTIONS } from "./commands.js";
import { element, find } from "./dom.js";
import { gettext, translateMessage } from "./language.js";
import { lettering } from "./tokens.js";

const MAX_NAMED = 8;
let shown = "";
const PLAY = ACTIONS.find(({ verb }) => verb === "play");

/** Makes a button with its key. The second click of a double click is none: it would give a command twice. */
export function button(label, onClick, attributes = {}, key = "") {
  const made = element("button", { type: "button", ...attributes }, label);
  if (key !== "") {
    made.append(element("kbd", {}, key));
  }
  made.addEventListener("click", (event) => {
    if (event.detail < 2) {
      onClick();
    }
  });
  return made;
}

function named(squares) {
  const more = squares.length - MAX_NAMED;
  const names = squares.slice(0, MAX_NAMED).join(" ");
  return more > 0 ? gettext("{squares} and {count} more", { squares: names, count: more }) : names;
}

function differenceParts(difference, form) {
  const { extra, missing, undone, play } = difference;
  const texts = undone
    ? [gettext("Still on the board: {squares}. Misread, or taken off?", { squares: named(extra) })]
    : [
        ...(extra.length > 0 ? [gettext("On the board, but not in the record: {squares}.", { squares: named(extra) })] : []),
        ...(missing.length > 0 ? [gettext("In the record, but not on the board: {squares}.", { squares: named(missing) })] : []),
      ];
  const buttons = [button(gettext("Take the board as it is"), () => form.send("board"), { class: "take" }, "B")];
  if (undone) {
    buttons.push(
      button(gettext("Misread: enter it"), () => form.ask({ ...PLAY, text: play }), {}, "N"),
      button(gettext("Taken off: wait"), () => form.send("board", ["wait"]), {}, "O"),
    );
  }
  return [element("span", { class: "message alarm" }, texts.join(" ")), ...buttons];
}

/** Shows all that for a state. */
export function showAttention(state, form, editor) {
  const place = find("#attention");
  const { doubts, difference, question, problems, overtime } = state;
  const text = JSON.stringify([doubts, difference, question, problems, overtime]);
  if (text === shown) {
    return; // what has the focus, or is being pressed, stays
  }
  shown = text;
  const parts = difference === null ? [] : differenceParts(difference, form);
  parts.push(...problems.map((problem) => element("span", { class: "message" }, translateMessage(problem))));
  if (question !== "") {
    parts.push(
      element("span", { class: "message" }, translateMessage(question)),
      button(gettext("Seen"), () => form.send("confirm", ["question"]), {}, "Q"),
    );
  }
  for (const [name, points] of overtime) {
    parts.push(element("span", { class: "message" }, gettext("Overtime: {name} loses {points} points", { name, points })));
  }
  if (overtime.length > 0) {
    parts.push(button(gettext("Take them off"), () => form.send("overtime"), { class: "take" }, "J"));
  }
  for (const { name, token, square } of doubts) {
    const ask = token === "?" ? gettext("blank: which letter?") : `${lettering(token)}?`;
    const choose = button(`${name}  ${ask}`, () => editor.choose(square), { class: "square-button" });
    const confirm = button("✓", () => form.send("confirm", [name]), { "aria-label": gettext("{square} is right", { square: name }) });
    parts.push(element("span", { class: "doubt" }, choose, confirm));
  }
  place.classList.toggle("asking", parts.length > 0);
  place.classList.toggle("differs", difference !== null);
  if (parts.length === 0) {
    parts.push(element("span", { class: "calm" }, gettext("Nothing is in doubt.")));
  } else if (doubts.length > 0) {
    parts.push(element("span", { class: "hint" }, gettext("press D, type the letter, Enter — or Y: it is right")));
  }
  place.replaceChildren(...parts);
}
