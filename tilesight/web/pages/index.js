// The list of tables: the state of each, and the addresses of its pages.

import { element, find } from "./dom.js";
import { gettext, translateMessage } from "./language.js";
import { languageChoice } from "./language_choice.js";
import { PARTS } from "./options.js";

const FIELDS = ["score", "p1_score", "p2_score", "p1_name", "p2_name", "p1_clock", "p2_clock", "p1_rack", "p2_rack"]
  .concat(["unseen_tiles", "unseen_count", "last_play", "blank1", "blank2", "turn", "title"]);
const ANNOTATOR = "https://woogles.io/editor";

function link(address, text) {
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

function table(line) {
  const name = encodeURIComponent(line.table);
  const state = [line.edition, line.watching ? gettext("camera on") : gettext("no camera"), translateMessage(line.over ?? "") || gettext("being played")];
  const score = line.players.map((player, number) => `${player} ${line.totals[number]}`).join("     ");
  const parts = PARTS.map((part) => link(`/overlay?table=${name}&parts=${part}`, part));
  const fields = FIELDS.map((field) => link(`/obs/${name}/${field}`, field));
  const done = line.over === null ? "" : ` ${gettext("(save the file first, then import it there)")}`;
  return element(
    "section",
    { class: "table" },
    element("h2", {}, line.title),
    element("p", { class: "state" }, state.join(" · ")),
    element("p", { class: "score" }, score),
    element(
      "p",
      { class: "links" },
      link(`/overlay?table=${name}`, gettext("Overlay, 1920 × 1080")),
      link(`/console?table=${name}`, gettext("Console")),
      link(`/api/tables/${name}/game.gcg`, gettext("Game file (GCG)")),
      link(ANNOTATOR, `${gettext("Woogles' annotator")}${done}`),
    ),
    element("h3", {}, gettext("One part alone, of any size")),
    element("p", { class: "links" }, ...parts),
    element("h3", {}, gettext("Text fields; with .txt as plain text")),
    element("p", { class: "links" }, ...fields),
    element("iframe", { src: `/overlay?table=${name}`, title: gettext("overlay of {title}", { title: line.title }), loading: "lazy" }),
  );
}

const lines = await (await fetch("/api/tables")).json();
find("main .links").append(languageChoice());
find("#tables").append(...lines.map(table));
