// The calibration page: the steps come from the program, the pictures from the running camera.

import { askUntilAnswered, postJson } from "./connection.js";
import { element, find, setText } from "./dom.js";
import { gettext, translateMessage } from "./language.js";
import { languageChoice } from "./language_choice.js";
import { askForTable, isRefused, openSession } from "./login.js";
import { keepPicture } from "./picture.js";

const CAMERA_EVERY_MS = 500;

let place = "";
let state = null;
let open = "lens";
let busy = false;
let written = "alphabet";
let fixed = false;
let message = "";

async function begin() {
  const { tables, table } = await openSession();
  const name = encodeURIComponent(table);
  place = `/api/tables/${name}/calibration`;
  const answer = await askUntilAnswered(place);
  if (isRefused(answer)) {
    await askForTable(tables, table);
    return;
  }
  find("main").hidden = false;
  setText(find("#table"), table);
  find("nav").append(
    element("a", { href: `/console?table=${name}` }, gettext("console")),
    element("a", { href: `${place}/report.html`, download: "calibration.html" }, gettext("save the report")),
    languageChoice(),
  );
  if (!answer.ok) {
    find("#steps").append(element("p", { class: "message", role: "alert" }, translateMessage((await answer.json()).message)));
    return;
  }
  keepPicture(`${place}/camera.jpg`, find("#camera"), CAMERA_EVERY_MS);
  show(await answer.json());
}

async function act(step, action) {
  busy = true;
  message = "";
  draw();
  try {
    const request = { step, action, text: step === "tiles" ? written : "", fixed };
    const answer = await postJson(place, request, { signal: null }); // a step takes as long as it needs
    const result = await answer.json();
    message = translateMessage(result.message ?? "");
    busy = false;
    if (answer.ok) {
      written = result.rows || written;
      show(result);
      return;
    }
  } catch {
    message = gettext("no answer that can be read; the steps show what was kept");
    const now = await fetch(place).catch(() => null);
    state = now?.ok ? await now.json() : state;
  }
  busy = false;
  draw();
}

function show(next) {
  state = next;
  draw();
  const shown = state.steps.find((step) => step.name === open);
  find("#result").hidden = shown.picture === 0;
  if (shown.picture > 0) {
    find("#result img").src = `${place}/${shown.name}.jpg?${shown.picture}`;
    find("#result img").alt = gettext("Result of the step {step}: {result}", {
      step: translateMessage(shown.title),
      result: translateMessage(shown.result),
    });
  }
  setText(find("#profile"), state.profile);
  document.documentElement.dataset.measured = state.steps.map((step) => (step.result ? 1 : 0)).join("");
}

function draw() {
  const focus = document.activeElement?.dataset?.action;
  find("#steps").replaceChildren(...state.steps.map(card));
  if (focus !== undefined) {
    find(`.step.open [data-action=${focus}]`)?.focus();
  }
}

function openStep(name) {
  open = name;
  message = "";
  show(state);
}

function card(step, number) {
  const isOpen = step.name === open;
  const title = element("span", { class: "title" }, `${number + 1}. ${translateMessage(step.title)}`);
  const head = element("h2", {}, title, element("span", { class: "result" }, translateMessage(step.result)));
  if (!isOpen) {
    const button = element("button", { type: "button", "data-step": step.name }, gettext("open"));
    button.addEventListener("click", () => openStep(step.name));
    head.append(button);
    return element("section", { class: `step${step.result ? " done" : ""}` }, head);
  }
  const parts = [head, element("p", {}, translateMessage(step.text))];
  if (step.taken.length > 0) {
    parts.push(element("ol", { class: "taken" }, ...step.taken.map((note, at) => element("li", {}, `${at + 1}: ${translateMessage(note)}`))));
  }
  if (step.missing !== "") {
    parts.push(element("p", { class: "missing" }, gettext("Still wanted: {what}.", { what: translateMessage(step.missing) })));
  }
  parts.push(...(step.name === "tiles" ? [letters()] : []), element("div", { class: "actions" }, ...actions(step)));
  parts.push(element("p", { class: "message", role: "alert" }, busy ? "" : message));
  const next = state.steps[number + 1];
  if (step.result !== "" && next !== undefined) {
    const button = element("button", { type: "button", class: "next", "data-action": "next" }, gettext("Go on: {step}", { step: translateMessage(next.title) }));
    button.addEventListener("click", () => openStep(next.name));
    parts.push(button);
  }
  if (step.advice.length > 0) {
    parts.push(element("ul", { class: "advice" }, ...step.advice.map((line) => element("li", {}, translateMessage(line)))));
  }
  return element("section", { class: `step open${step.result ? " done" : ""}` }, ...parts);
}

function letters() {
  const field = element("textarea", { spellcheck: "false", "aria-label": gettext("Letters"), "data-action": "letters" }, written);
  field.addEventListener("input", () => {
    written = field.value;
  });
  const text = gettext("Letters on the board: alphabet, or its rows, a dot for an empty square.");
  return element("label", {}, text, field);
}

function actions(step) {
  const buttons = [button(step, "take", step.name === "board" ? gettext("Take the picture and measure") : gettext("Take a picture"), true)];
  if (step.name === "light") {
    setText(buttons[0], gettext("Take five pictures and measure"));
  }
  if (step.name === "lens") {
    buttons.push(element("a", { class: "button", href: `${place}/sheet.pdf`, target: "_blank" }, gettext("Sheet to print")));
  }
  if (step.name === "tiles") {
    buttons.push(button(step, "read", gettext("Read the board into the field")));
  }
  if (step.name === "board") {
    const box = element("input", { type: "checkbox", checked: fixed });
    box.addEventListener("change", () => {
      fixed = box.checked;
    });
    buttons.push(element("label", {}, box, ` ${gettext("camera and board stay where they are")}`));
  }
  if (step.name === "lens" || step.name === "tiles") {
    const measure = button(step, "measure", gettext("Measure and keep"));
    measure.disabled ||= !step.ready;
    buttons.push(measure, button(step, "again", gettext("Begin again")));
  }
  return buttons;
}

function button(step, action, label, first = false) {
  const made = element("button", { type: "button", "data-action": action, class: first ? "first" : null }, label);
  made.disabled = busy;
  made.addEventListener("click", () => act(step.name, action));
  return made;
}

begin();
