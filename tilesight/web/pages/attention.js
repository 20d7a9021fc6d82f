// What the operator should look at: the board and the record differ, a question, uncertain tiles, broken rules.

import { ACTIONS } from "./commands.js";
import { element, find } from "./dom.js";
import { lettering } from "./tokens.js";

const MAX_NAMED = 8;
const PLAY = ACTIONS.find(({ verb }) => verb === "play");

/** Makes a button with its key. */
export function button(label, onClick, attributes = {}, key = "") {
  const made = element("button", { type: "button", ...attributes }, label);
  if (key !== "") {
    made.append(element("kbd", {}, key));
  }
  made.addEventListener("click", onClick);
  return made;
}

function named(squares) {
  const more = squares.length - MAX_NAMED;
  return squares.slice(0, MAX_NAMED).join(" ") + (more > 0 ? ` and ${more} more` : "");
}

function differenceParts(difference, form) {
  const { extra, missing, undone, play } = difference;
  const texts = undone
    ? [`Still on the board: ${named(extra)}. Misread, or taken off?`]
    : [
        ...(extra.length > 0 ? [`On the board, but not in the record: ${named(extra)}.`] : []),
        ...(missing.length > 0 ? [`In the record, but not on the board: ${named(missing)}.`] : []),
      ];
  const buttons = [button("Take the board as it is", () => form.send("board"), { class: "take" }, "B")];
  if (undone) {
    buttons.push(
      button("Misread: enter it", () => form.ask({ ...PLAY, text: play }), {}, "N"),
      button("Taken off: wait", () => form.send("board", ["wait"]), {}, "O"),
    );
  }
  return [element("span", { class: "message alarm" }, texts.join(" ")), ...buttons];
}

/** Shows all that for a state. */
export function showAttention(state, form, editor) {
  const place = find("#attention");
  const { doubts, difference, question, problems } = state;
  const parts = difference === null ? [] : differenceParts(difference, form);
  parts.push(...problems.map((problem) => element("span", { class: "message" }, problem)));
  if (question !== "") {
    parts.push(
      element("span", { class: "message" }, question),
      button("Seen", () => form.send("confirm"), {}, "Q"),
    );
  }
  for (const { name, token, square } of doubts) {
    const ask = token === "?" ? "blank: which letter?" : `${lettering(token)}?`;
    const choose = button(`${name}  ${ask}`, () => editor.choose(square), { class: "square-button" });
    const confirm = button("✓", () => form.send("confirm", [name]), { "aria-label": `${name} is right` });
    parts.push(element("span", { class: "doubt" }, choose, confirm));
  }
  place.classList.toggle("asking", parts.length > 0);
  place.classList.toggle("differs", difference !== null);
  if (parts.length === 0) {
    parts.push(element("span", { class: "calm" }, "Nothing is in doubt."));
  } else if (doubts.length > 0) {
    parts.push(element("span", { class: "hint" }, "press D, type the letter, Enter — or Y: it is right"));
  }
  place.replaceChildren(...parts);
}
