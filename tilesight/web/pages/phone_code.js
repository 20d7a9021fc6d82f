// The QR code that makes a phone the table's camera, and which phone it is now.

import { readAnswer } from "./answers.js";
import { button } from "./attention.js";
import { ask, postJson } from "./connection.js";
import { nameDevice } from "./device_name.js";
import { element, find, setText } from "./dom.js";
import { gettext, ngettext, translateMessage } from "./language.js";

const EVERY_MS = 1500;

/** Makes the dialog, which is hidden. */
function makeDialog() {
  return element(
    "dialog",
    { id: "phone-code", "aria-label": gettext("Phone as camera") },
    element("form", { method: "dialog" }, element("button", {}, gettext("Close"), " ", element("kbd", {}, "Esc"))),
    element("h2", {}, gettext("Phone as camera")),
    element("p", { class: "problem", role: "alert" }),
    element(
      "figure",
      {},
      element("p", {}, gettext("Point the phone's camera at this code. It can be used once, within five minutes.")),
      element("img", { alt: gettext("QR code that makes a phone the camera"), width: "300", height: "300" }),
      element("figcaption"),
    ),
    element("p", { class: "sender", role: "status" }),
  );
}

function describeSender(sender) {
  if (sender === null) {
    return gettext("No phone sends now.");
  }
  const device = nameDevice(sender);
  if (sender.pictures_per_s === 0) {
    return gettext("{device} is the camera, but sends nothing now.", { device });
  }
  return ngettext("{device} sends, {n} picture a second.", "{device} sends, {n} pictures a second.", Math.round(sender.pictures_per_s), { device });
}

async function showSender(address) {
  try {
    const answer = await ask(address);
    if (answer.ok) {
      setText(find("#phone-code .sender"), describeSender((await answer.json()).sender));
    }
  } catch {
    // no answer now: the last line stays
  }
}

async function showCode(address) {
  const { body: code, problem } = await readAnswer(postJson(`${address}/code`));
  const dialog = find("#phone-code");
  dialog.querySelector("figure").hidden = code === null;
  setText(dialog.querySelector(".problem"), code === null ? problem : translateMessage(code.problem));
  if (code !== null) {
    dialog.querySelector("img").src = URL.createObjectURL(new Blob([code.svg], { type: "image/svg+xml" }));
    setText(dialog.querySelector("figcaption"), code.address);
  }
  dialog.showModal();
  await showSender(address);
  const timer = setInterval(showSender, EVERY_MS, address);
  dialog.addEventListener("close", () => clearInterval(timer), { once: true });
}

/** Adds the button for the code, if the table's camera is a phone. */
export async function addPhoneButton(place, table) {
  const address = `/api/tables/${encodeURIComponent(table)}/phone`;
  const answer = await fetch(address);
  if (answer.ok) {
    document.body.append(makeDialog());
    place.prepend(button(gettext("phone"), () => showCode(address), { class: "link", id: "phone-button" }));
    setText(find("#camera p"), gettext("No picture yet: press “phone” above, and scan the code with the phone."));
  }
}
