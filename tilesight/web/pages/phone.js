// The page that makes a phone the table's camera.

import { askUntilAnswered } from "./connection.js";
import { nameDevice } from "./device_name.js";
import { element, find, setText } from "./dom.js";
import { formatNumber, formatPercent, gettext, ngettext, translateMessage } from "./language.js";
import { languageChoice } from "./language_choice.js";
import { askForTable, askForToken, isRefused, openSession } from "./login.js";
import { closeCamera, hasCamera, hasTorch, keepScreenOn, listLenses, openCamera, setTorch, SIZES, watchBattery } from "./phone_camera.js";
import { showGrid, squareSide } from "./phone_grid.js";
import { PictureSender } from "./phone_sender.js";

const MIN_SQUARE_PX = 40;
const LOOKING_MS = 4000;
const SLOW_PER_S = 2;
const REOPEN_MS = 1500;

const video = find("#view video");
let table = "";
let sender = null;
let track = null;
let isOpening = false;
let notFoundSince = null;
let battery = null;
let screenStaysOn = true;

function block(reason, advice) {
  setText(find("#blocked .reason"), reason);
  setText(find("#blocked .advice"), advice);
  find("#blocked").hidden = false;
  find("#phone").hidden = true;
}

async function begin() {
  const session = await openSession();
  table = session.table;
  const address = `/api/tables/${encodeURIComponent(table)}/phone`;
  const answer = await askUntilAnswered(address);
  if (isRefused(answer)) {
    await askForTable(session.tables, table);
    return;
  }
  if (!answer.ok) {
    block(
      gettext("The camera of table {table} is no phone.", { table }),
      gettext("Start the program with the source “phone”, such as: tilesight serve phone --host 0.0.0.0 --tls self"),
    );
    return;
  }
  if (!hasCamera()) {
    block(
      gettext("This browser gives no camera to this page, because the page is not encrypted (http)."),
      gettext("Start the program with --tls self, and scan the new code. The browser then warns of an unknown certificate: compare its fingerprint with the one that the program printed, and go on."),
    );
    return;
  }
  setText(find("#table"), table);
  find("#size").append(
    ...Object.entries(SIZES).map(([width, height]) =>
      element("option", { value: width, selected: width === "1920" }, `${width} × ${height}`),
    ),
  );
  find("#controls").append(element("label", {}, gettext("Language"), languageChoice()));
  find("#phone").hidden = false;
  sender = new PictureSender(address, video, { onState: showState, onView: showView });
  find("#send").addEventListener("click", () => (sender.isRunning ? stop() : start()));
  find("#lens").addEventListener("change", reopen);
  find("#size").addEventListener("change", reopen);
  find("#torch").addEventListener("click", switchTorch);
  document.addEventListener("visibilitychange", comeBack);
  watchBattery((level) => {
    battery = level;
    showHint();
  });
  const { sender: other } = await answer.json();
  showState("off");
  if (sessionStorage.getItem("sending") === table) {
    start(); // the browser loaded the page again
  } else if (other !== null) {
    showState("taken", other);
  }
}

async function start() {
  find("#send").disabled = true;
  if (await open()) {
    sessionStorage.setItem("sending", table);
    screenStaysOn = await keepScreenOn();
    sender.start();
    showState("starting");
  }
  find("#send").disabled = false;
}

function stop() {
  sessionStorage.removeItem("sending");
  sender.stop();
  close();
}

function close() {
  closeCamera(video);
  find("#torch").hidden = true;
  find("#phone").classList.remove("live");
}

function choice() {
  return `${find("#lens").value} ${find("#size").value}`;
}

/** Opens the camera as it is chosen; says why if that fails. */
async function open() {
  const opened = choice();
  isOpening = true;
  try {
    closeCamera(video);
    track = await openCamera(video, find("#lens").value, Number(find("#size").value));
    await showLenses(); // a choice that is made meanwhile does not open the camera twice
  } catch (error) {
    const reasons = {
      NotAllowedError: gettext("The camera is not allowed for this page. Allow it in the browser's settings for this site."),
      NotFoundError: gettext("This device has no camera."),
      NotReadableError: gettext("Another program uses the camera. Close it, and press Start."),
    };
    const other = { reason: error.message || error.name };
    if (!sender.isRunning) {
      showState("off"); // it may still be shown that another device sends
    }
    setText(
      find("#seen"),
      reasons[error.name] ?? gettext("The camera cannot be opened ({reason}). Choose another camera, or try another browser.", other),
    );
    return false;
  } finally {
    isOpening = false;
  }
  track.addEventListener("ended", reopenLater);
  sender.maxSide = Number(find("#size").value);
  find("#phone").classList.add("live");
  find("#torch").hidden = !hasTorch(track);
  find("#torch").setAttribute("aria-pressed", "false");
  return choice() === opened || open(); // another choice may have been made meanwhile
}

async function showLenses() {
  const lenses = await listLenses();
  const chosen = find("#lens").value;
  find("#lens").replaceChildren(
    element("option", { value: "" }, gettext("Back")),
    ...(lenses.length > 1 ? lenses : []).map(({ deviceId, label }) =>
      element("option", { value: deviceId, selected: deviceId === chosen }, label),
    ),
  );
}

/** Opens the camera again; gives false if that failed. */
async function reopen() {
  if (!sender.isRunning || isOpening) {
    return true;
  }
  const isOpen = await open();
  if (!sender.isRunning) {
    close(); // it was stopped meanwhile, or another device sends
  }
  return isOpen;
}

/** Opens the camera again that the phone took away, as soon as the page is seen. */
function reopenLater() {
  setTimeout(async () => {
    if (sender.isRunning && !document.hidden && track.readyState === "ended" && !(await reopen())) {
      reopenLater();
    }
  }, REOPEN_MS);
}

async function comeBack() {
  if (!document.hidden && sender.isRunning) {
    screenStaysOn = await keepScreenOn(); // the browser lets it go while another page is seen
    if (track.readyState === "ended") {
      reopenLater();
    }
  }
}

async function switchTorch() {
  const isOn = find("#torch").getAttribute("aria-pressed") !== "true";
  await setTorch(track, isOn).then(
    () => find("#torch").setAttribute("aria-pressed", String(isOn)),
    () => {
      find("#torch").hidden = true;
    },
  );
}

function showState(state, detail) {
  const texts = {
    off: gettext("Not sending"),
    starting: gettext("Connecting"),
    sending: gettext("Sending"),
    lost: gettext("Connection lost, trying again"),
    "no-picture": gettext("The camera gives no picture"),
    hidden: gettext("Paused while another page is seen"),
    taken: gettext("Another device sends"),
    refused: gettext("This device was signed out"),
  };
  if (document.documentElement.dataset.state === "sending") {
    if (state === "sending") {
      return; // `showView` says more
    }
    notFoundSince = null; // what the table answered last is no longer so
    setText(find("#seen"), "");
    showGrid(find("#view svg"), null, { width: 1, height: 1 });
    showHint();
  }
  document.documentElement.dataset.state = state;
  setText(find("#state"), texts[state]);
  const label = { off: gettext("Start"), refused: gettext("Start"), taken: gettext("Send from this phone") }[state] ?? gettext("Stop");
  setText(find("#send"), label);
  find("#send").classList.toggle("stop", sender.isRunning);
  if (state === "off") {
    setText(find("#seen"), gettext("Fix the phone above the board, or hold it, so that the whole board is in the picture."));
  } else if (state === "taken") {
    sessionStorage.removeItem("sending");
    closeCamera(video);
    find("#phone").classList.remove("live");
    setText(find("#seen"), gettext("The camera of this table is {device}.", { device: nameDevice(detail) }));
  } else if (state === "lost" && detail !== undefined) {
    setText(find("#seen"), translateMessage(detail));
  } else if (state === "refused") {
    closeCamera(video);
    find("#phone").hidden = true;
    askForToken();
  }
  if (!sender.isRunning) {
    find("#phone").classList.toggle("live", video.srcObject !== null);
    setText(find("#hint"), "");
  }
}

function showView(view, { width, height, perS }) {
  const { grid, rows, columns } = view;
  const corners = grid?.map(([x, y]) => [x * width, y * height]) ?? null;
  showGrid(find("#view svg"), corners, { rows, columns, width, height });
  notFoundSince = corners !== null ? null : (notFoundSince ?? performance.now());
  const status = translateMessage(view.status);
  setText(find("#seen"), view.last_move === "" ? status : `${status} · ${view.last_move}`);
  const rate = Math.round(perS);
  setText(find("#state"), perS === undefined ? gettext("Sending") : ngettext("Sending, {n} picture a second", "Sending, {n} pictures a second", rate));
  showHint(corners === null ? null : squareSide(corners, rows, columns), perS);
}

/** Shows the most important advice. */
function showHint(squarePx = null, perS = Infinity) {
  let hint = "";
  if (battery !== null) {
    hint = gettext("Battery {level}: plug the phone in.", { level: formatPercent(battery) });
  } else if (notFoundSince !== null && performance.now() - notFoundSince > LOOKING_MS) {
    hint = gettext("Show the whole board with a little table around it.");
  } else if (squarePx !== null && squarePx < MIN_SQUARE_PX) {
    hint = gettext("Go nearer, or choose a larger picture: a square has {n} pixels, and needs 40.", { n: formatNumber(Math.round(squarePx)) });
  } else if (perS < SLOW_PER_S) {
    hint = gettext("The network is slow: choose a smaller picture, or go nearer to the router.");
  } else if (!screenStaysOn) {
    hint = gettext("Set the phone's screen to stay on, and plug the phone in: a dark screen sends nothing.");
  }
  setText(find("#hint"), hint);
}

begin();
