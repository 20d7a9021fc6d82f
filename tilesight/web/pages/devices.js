// The devices that are signed in: a list, a code for one more, and an end for each.

import { readAnswer } from "./answers.js";
import { button } from "./attention.js";
import { ask, postJson } from "./connection.js";
import { nameDevice } from "./device_name.js";
import { element, find, setText } from "./dom.js";
import { formatTime, gettext } from "./language.js";

/** What a device may do that is not an operator's. */
const RIGHTS = {
  camera: [gettext("sends the camera's picture")],
  commentator: [gettext("shows the commentators' page")],
  photographer: [gettext("reads photos")],
};
const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Waits for an answer; says in the dialog why there is none, and gives null then. */
async function take(asked) {
  const { body, problem } = await readAnswer(asked);
  setText(find("#devices .answer"), problem);
  return body;
}

function post(path, body = {}) {
  return take(postJson(`/api/session/${path}`, body));
}

function describe({ device, address, used_s: usedS, right }) {
  const name = nameDevice({ device, address: "" }) || gettext("a browser");
  const used = gettext("last used {time}", { time: formatTime(usedS) });
  return [name, address || gettext("this machine"), ...(RIGHTS[right] ?? []), used].join(", ");
}

async function end(session) {
  const ended = await (session.own ? post("end") : post("revoke", { name: session.name }));
  if (ended === null) {
    return; // the dialog says why
  }
  if (session.own) {
    location.reload();
  } else {
    await list();
  }
}

async function list() {
  const sessions = await take(ask("/api/session"));
  find("#devices ul").replaceChildren(
    ...(sessions ?? []).map((session) =>
      element(
        "li",
        {},
        element("span", {}, describe(session) + (session.own ? ` ${gettext("(this one)")}` : "")),
        button(gettext("Sign out"), () => end(session)),
      ),
    ),
  );
}

async function addDevice() {
  const code = await post("code");
  if (code === null) {
    return;
  }
  const { address, svg } = code;
  const figure = find("#devices figure");
  figure.querySelector("img").src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  setText(figure.querySelector("figcaption"), gettext("{address} (can be used once, within five minutes)", { address }));
  figure.hidden = false;
}

/** Shows the devices. */
export async function showDevices() {
  find("#devices .add").onclick = addDevice;
  find("#devices figure").hidden = true;
  await list();
  find("#devices").showModal();
}

/** Warns where the page came unencrypted from another machine. */
export function warnOfHttp() {
  find("#insecure").hidden = location.protocol === "https:" || LOCAL.has(location.hostname);
}
