// The photo page: a photo is sent, its board comes back, is corrected as in a digitising report, and is there to copy.

import { readAnswer, UNREACHABLE } from "./answers.js";
import { Board } from "./board.js";
import { askUntilAnswered, postJson, RETRY_MS } from "./connection.js";
import { CorrectionView, CornerPicker, speak } from "./correction.js";
import { element, find, setText } from "./dom.js";
import { boardPng, copyText, offer } from "./exporting.js";
import { formatPercent, gettext, ngettext, translateMessage } from "./language.js";
import { languageChoice } from "./language_choice.js";
import { askForToken, isRefused, openSession } from "./login.js";
import { isTile } from "./tokens.js";

const MAX_MEGABYTES = 32;
const TEXTS_AFTER_MS = 150;

speak(gettext);
let editions = new Map();
let file = null;
let photo = null; // what came back, with `rows` as corrected and `read` as read
let fixed = new Map(); // corrected squares: "row,column" and the token
let asked = {}; // what is known of the photo: its edition, corners and quarter turns
let isReading = false;
let next = null; // the photo that was chosen last while another one is read
let timer = 0;
let trouble = ""; // why there are no texts of the board as it is corrected
const addresses = { photo: "", board: "", small: "" };

const view = new CorrectionView(
  { board: find("#board"), square: find("#square"), doubts: find("#doubts") },
  {
    photo: () => photo,
    edition: () => photo.edition,
    letters: () => editions.get(photo.edition)?.tokens ?? [],
    isCorrected: (row, column) => fixed.has(`${row},${column}`),
    isPending: () => isReading,
    set: (row, column, token) => {
      if (token === undefined) {
        fixed.delete(`${row},${column}`);
      } else {
        fixed.set(`${row},${column}`, token);
      }
      applyCorrections();
    },
    translate: translateMessage,
    finish: () => gettext("Every square is right; the texts are below."),
    drawn: () => {
      find("#right").disabled = view.open.length === 0;
      sayResult();
    },
  },
);
const picker = new CornerPicker(
  { box: find("#photo-box"), image: find("#photo"), drawing: find("#corners"), help: find("#corners-help") },
  {
    photo: () => photo,
    asks: () => photo !== null && (photo.rows.length === 0 ? photo.status === "board-not-found" : asked.marking === true),
    take: (corners) => send({ edition: asked.edition, corners: corners.map((point) => point.join(",")).join(" ") }),
    then: gettext("The board is read between these corners."),
  },
);

function say(text, isWrong = false) {
  setText(find("#state"), text);
  find("#state").classList.toggle("wrong", isWrong);
}

/** Says how many tiles are on the board as it is corrected, and how many squares are in doubt, or why it has no texts. */
function sayResult() {
  if (isReading || photo.rows.length === 0) {
    return;
  }
  if (trouble !== "") {
    say(trouble, true);
    return;
  }
  const doubts = view.open.length;
  const count = photo.rows.flat().filter(isTile).length;
  const tiles = ngettext("{n} tile.", "{n} tiles.", count);
  const open = doubts === 0 ? gettext("No square is in doubt.") : ngettext("{n} square is in doubt.", "{n} squares are in doubt.", doubts);
  const probable = Object.entries(photo.editions ?? {});
  const named = probable.map(([name, share]) => `${name} (${formatPercent(share)})`).join(", ");
  const guess = probable.length > 1 ? gettext("The tiles may be of several editions: {editions}. Choose the right one.", { editions: named }) : "";
  say([tiles, open, guess, translateMessage(photo.message)].filter(Boolean).join(" "));
}

function applyCorrections() {
  photo.rows = photo.read.map((row) => row.slice());
  for (const [square, token] of fixed) {
    const [row, column] = square.split(",");
    if (photo.rows[row]?.[column] !== undefined) {
      photo.rows[row][column] = token;
    }
  }
  clearTimeout(timer);
  timer = setTimeout(showTexts, TEXTS_AFTER_MS);
}

/** Reads a new photo. */
function read(chosen) {
  if (chosen.size > MAX_MEGABYTES * 1e6) {
    say(gettext("The file has more than {number} MB; save the photo as a JPEG.", { number: MAX_MEGABYTES }), true);
    return;
  }
  if (isReading) {
    next = chosen;
    return;
  }
  send({}, chosen);
}

/** Sends a photo with what is known of it; corrected squares stay where the board is the same. */
async function send(request, sent = file) {
  if (isReading || sent === null) {
    return;
  }
  const { edition = "", corners = "", turn = 0 } = request;
  isReading = true;
  setWaiting(sent !== file); // a file that cannot be read leaves the board of the last photo as it is
  say(gettext("Reading the photo …"));
  let answer, body;
  try {
    answer = await fetch(`/api/photo?${new URLSearchParams({ edition, corners, turn })}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: sent,
    });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    body = isJson ? await answer.json() : { message: await answer.text() };
  } catch {
    body = { message: UNREACHABLE };
  }
  isReading = false;
  setWaiting(false);
  if (next !== null) {
    const chosen = next;
    next = null;
    read(chosen);
  } else if (answer?.ok && body.width !== null) {
    asked = request;
    if (sent !== file) {
      file = sent;
      show("photo", file);
    }
    take(body, request.keeps === true);
  } else if ([401, 403].includes(answer?.status)) {
    location.reload();
  } else {
    find("#edition").value = photo?.edition ?? ""; // that of the board which is still shown
    say(translateMessage(body.message), true);
  }
}

/** Holds the board and its texts while another photo is read. */
function setWaiting(isWaiting) {
  find("#result").inert = find("#texts").inert = isWaiting;
}

function take(found, keeps) {
  clearTimeout(timer); // the texts of the last board are no longer asked for
  if (!keeps) {
    fixed = new Map();
  }
  photo = { ...found, read: found.rows.map((row) => row.split(" ")), rows: [], doubtful: translateDoubts(found.doubtful) };
  photo.board = found.board === "" ? "" : show("board", jpegOf(found.board));
  photo.small = show("small", jpegOf(found.thumbnail));
  const isRead = found.status === "ok";
  find("#photo").src = addresses.photo;
  find("#result").hidden = false;
  find("#result").classList.toggle("boardless", !isRead);
  find("#texts").hidden = true; // until they are those of this board
  trouble = "";
  if (isRead) {
    showEditions();
    applyCorrections();
    view.begin();
    view.draw();
    find("#board").focus({ preventScroll: true });
  } else {
    say(translateMessage(found.message), true);
  }
  startCorners(false);
}

/** Translates the reasons of doubts, each [row, column, confidence, reason, tokens]. */
function translateDoubts(doubts) {
  return doubts.map(([row, column, sure, reason, tokens]) => [row, column, sure, translateMessage(reason), tokens]);
}

function jpegOf(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Blob([bytes], { type: "image/jpeg" });
}

/** Makes the address of a picture, in place of the one before. */
function show(name, blob) {
  URL.revokeObjectURL(addresses[name]);
  addresses[name] = URL.createObjectURL(blob);
  return addresses[name];
}

function startCorners(marking) {
  asked.marking = marking;
  picker.begin();
  find("#corners-again").hidden = !picker.model.asks();
  find("#corners-show").hidden = photo.rows.length === 0 || marking;
}

function showEditions() {
  const shares = new Map(Object.entries(photo.editions ?? {}));
  const label = (name) => (shares.has(name) ? `${name} (${formatPercent(shares.get(name))})` : name);
  find("#edition").replaceChildren(
    ...[...editions.keys()].map((name) => new Option(label(name), name)),
  );
  find("#edition").value = photo.edition;
}

/** Shows the corrected board as texts and as a picture; asks again until they are there. */
async function showTexts() {
  const { rows: shown, edition } = photo;
  const rows = shown.map((row) => row.join(" "));
  const { body: texts, problem } = await readAnswer(postJson("/api/photo/texts", { edition, rows }));
  if (photo?.rows !== shown) {
    return; // a square was corrected, or another photo came: its own texts follow
  }
  trouble = problem;
  sayResult();
  find("#texts").hidden = texts === null;
  if (texts === null) {
    timer = setTimeout(showTexts, RETRY_MS);
    return;
  }
  const values = { cgp: texts.cgp, gcg: texts.gcg || translateMessage(texts.gcg_message), txt: texts.text };
  find("[data-kind=gcg]").classList.toggle("none", texts.gcg === "");
  for (const [kind, text] of Object.entries(values)) {
    find(`[data-kind=${kind}] textarea`).value = text;
  }
  const board = new Board(editions.get(photo.edition));
  board.show({ rows: photo.rows, newest: [] });
  find("#picture").replaceChildren(board.svg);
}

function fileName(kind) {
  return `${(file?.name ?? "board").replace(/\.[^.]*$/, "") || "board"}.${kind}`;
}

function addButtons() {
  for (const article of document.querySelectorAll("article")) {
    const kind = article.dataset.kind;
    const copy = element("button", { type: "button" }, gettext("Copy"));
    const save = element("button", { type: "button" }, gettext("Download"));
    const text = article.querySelector("textarea");
    copy.addEventListener("click", async () => {
      const isDone = await copyText(text);
      setText(copy, isDone ? gettext("Copied") : gettext("Press Ctrl+C"));
      setTimeout(() => setText(copy, gettext("Copy")), 2000);
    });
    save.addEventListener("click", async () => {
      try {
        const data = text === null ? await boardPng(find("#picture svg")) : new Blob([text.value], { type: "text/plain" });
        offer(data, fileName(kind));
        setText(save, gettext("Download"));
      } catch {
        setText(save, UNREACHABLE);
      }
    });
    article.append(element("div", { class: "choices" }, ...(text === null ? [save] : [copy, save])));
  }
}

function listen() {
  for (const input of document.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => {
      if (input.files.length > 0) {
        read(input.files[0]);
      }
      input.value = ""; // the same photo may be chosen again
    });
  }
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      document.body.classList.toggle("dropping", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length > 0) {
        read(event.dataTransfer.files[0]);
      }
    });
  }
  document.addEventListener("paste", (event) => {
    const pasted = [...event.clipboardData.files].find((each) => each.type.startsWith("image/"));
    if (pasted !== undefined) {
      read(pasted);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (photo !== null && !find("#result").inert) {
      view.press(event);
    }
  });
  find("#photo").addEventListener("error", () => {
    if (photo !== null && find("#photo").src !== photo.small) {
      find("#photo").src = photo.small; // a format that this browser does not show
    }
  });
  find("#right").addEventListener("click", () => {
    view.confirmBoard();
    view.draw();
  });
  const turn = (by) => send({ ...asked, keeps: false, turn: ((asked.turn ?? 0) + by + 4) % 4 });
  find("#turn-left").addEventListener("click", () => turn(1));
  find("#turn-right").addEventListener("click", () => turn(3));
  find("#edition").addEventListener("change", (event) => send({ ...asked, keeps: true, edition: event.target.value }));
  find("#corners-show").addEventListener("click", () => startCorners(true));
  find("#corners-again").addEventListener("click", () => startCorners(asked.marking));
}

async function start() {
  await openSession();
  const answer = await askUntilAnswered("/api/photo/editions");
  if (isRefused(answer)) {
    askForToken();
    return;
  }
  find("main").hidden = false;
  if (!answer.ok) {
    say(translateMessage((await answer.json()).message), true);
    find("#source").hidden = true;
    return;
  }
  editions = new Map((await answer.json()).map((each) => [each.name, each]));
  find("header").prepend(languageChoice());
  addButtons();
  listen();
}

await start();
