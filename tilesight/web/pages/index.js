// The list of tables: the state of each, and the addresses of its pages.

import { ask } from "./connection.js";
import { element, find, setText } from "./dom.js";
import { gettext, translateMessage } from "./language.js";
import { languageChoice } from "./language_choice.js";
import { PARTS } from "./options.js";

const FIELDS = ["score", "p1_score", "p2_score", "p1_name", "p2_name", "p1_clock", "p2_clock", "p1_rack", "p2_rack"]
  .concat(["unseen_tiles", "unseen_count", "last_play", "blank1", "blank2", "turn", "title"]);
const PREVIEW = PARTS.filter((part) => part !== "moments" && part !== "picture").join(",");
const AGAIN_MS = 3000;
const ANNOTATOR = "https://woogles.io/editor";

let away = new Set(); // tables whose machines are not connected

function link(address, text) {
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

function stateOf(line) {
  return [
    line.machine,
    line.edition,
    line.watching ? gettext("camera on") : gettext("no camera"),
    translateMessage(line.over ?? "") || gettext("being played"),
    away.has(line.table) ? gettext("the machine is not connected") : "",
  ].filter(Boolean).join(" · ");
}

/** The players with their points; names that run from right to left do not swap. */
function scoreOf(line) {
  return line.players.flatMap((player, number) => [element("span", {}, element("bdi", {}, player), `\u00a0${line.totals[number]}`), " "]);
}

function annotatorOf(line) {
  const done = line.over === null ? "" : ` ${gettext("(save the file first, then import it there)")}`;
  return `${gettext("Woogles' annotator")}${done}`;
}

function listLinks(title, links) {
  return element("details", {}, element("summary", {}, title), element("p", { class: "links" }, ...links));
}

function table(line) {
  const name = encodeURIComponent(line.table);
  const parts = PARTS.map((part) => link(`/overlay?table=${name}&parts=${part}`, part));
  const fields = FIELDS.map((field) => link(`/obs/${name}/${field}`, field));
  return element(
    "section",
    { class: "table", "data-table": line.table },
    element("h2", {}, line.title),
    element("p", { class: "state" }, stateOf(line)),
    element("p", { class: "score" }, ...scoreOf(line)),
    element(
      "p",
      { class: "links" },
      link(`/overlay?table=${name}`, gettext("Overlay, 1920 × 1080")),
      ...(line.machine === "" ? [link(`/console?table=${name}`, gettext("Console"))] : []),
      link(`/api/tables/${name}/game.gcg`, gettext("Game file (GCG)")),
      link(ANNOTATOR, annotatorOf(line)),
    ),
    element("iframe", { src: `/overlay?table=${name}&parts=${PREVIEW}`, title: gettext("overlay of {title}", { title: line.title }), loading: "lazy" }),
    listLinks(gettext("One part alone, of any size"), parts),
    listLinks(gettext("Text fields; with .txt as plain text"), fields),
  );
}

/** Shows what the server has: new tables, those that are gone, and what has changed. */
async function show() {
  const [place, lines] = await Promise.all(["/api/place", "/api/tables"].map(async (path) => (await ask(path)).json()));
  away = new Set(place.away);
  find("#to-console").hidden = !place.tables;
  find("#to-photos").hidden = !place.photos;
  find("#to-hall").hidden = lines.length === 0;
  setText(find("#problem"), translateMessage(place.problem));
  find("#waiting").hidden = !place.hub || lines.length > 0;
  const shown = new Map([...document.querySelectorAll("[data-table]")].map((each) => [each.dataset.table, each]));
  for (const line of lines) {
    const section = shown.get(line.table);
    if (section === undefined) {
      find("#tables").append(table(line));
    } else {
      setText(section.querySelector("h2"), line.title);
      setText(section.querySelector(".state"), stateOf(line));
      section.querySelector(".score").replaceChildren(...scoreOf(line));
      setText(section.querySelector(`[href="${ANNOTATOR}"]`), annotatorOf(line));
    }
    shown.delete(line.table);
  }
  for (const gone of shown.values()) {
    gone.remove();
  }
}

/** Shows it now and again and again; says so while the server does not answer. */
async function keepShown() {
  await show().catch(() => setText(find("#problem"), gettext("connection lost, trying again")));
  setTimeout(keepShown, AGAIN_MS);
}

find("main .links").append(languageChoice());
await keepShown();
