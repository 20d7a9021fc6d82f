// The options in an overlay's address: table, parts, theme, font, colours.

import { askUntilAnswered, RETRY_MS, sleep } from "./connection.js";

export const PARTS = ["board", "scores", "clocks", "racks", "last", "unseen", "moves", "title", "moments", "picture"];
const DEFAULT_PARTS = ["board", "scores", "clocks", "racks", "last", "unseen", "moves", "title", "moments"];
const COLOURS = [
  "ink",
  "soft",
  "panel",
  "line",
  "accent",
  "board",
  "square",
  "tile",
  "tile-ink",
  "tile-new",
  "blank-ink",
];

/** Gives what the page's address asks for; a colour may have its #, which else ends the query. */
export function readQuery() {
  return new URL(location.href.replaceAll(/=#(?=[\da-f]{3,8}(&|$))/gi, "=%23")).searchParams;
}

/** Reads the options of the page's address; invalid ones are ignored. */
export function readOptions() {
  const query = readQuery();
  const parts = (query.get("parts") ?? "").split(",").filter((part) => PARTS.includes(part));
  const font = query.get("font") ?? "";
  const theme = query.get("theme") ?? "";
  const colours = {};
  for (const name of COLOURS) {
    const value = query.get(name);
    if (value !== null && CSS.supports("color", value)) {
      colours[name] = value;
    }
  }
  return {
    table: query.get("table"),
    parts: parts.length > 0 ? parts : DEFAULT_PARTS,
    theme: ["dark", "light", "clear"].includes(theme) ? theme : "dark",
    seconds: Math.min(60, Math.max(1, Number.parseFloat(query.get("seconds")) || 5)),
    font: /^[\p{L}\p{N} _-]{1,60}$/u.test(font) ? font : null,
    colours,
  };
}

/** Applies theme, font and colours to a page. */
export function applyTheme(page, { theme, font, colours }) {
  page.dataset.theme = theme;
  if (font !== null) {
    page.style.setProperty("--font", `"${font}"`);
  }
  for (const [name, value] of Object.entries(colours)) {
    page.style.setProperty(`--${name}`, value);
  }
}

/** Gives the name of the table, or of the first one, for which a hub may have to wait. */
export async function chooseTable(name) {
  for (;;) {
    const answer = name === null ? await askUntilAnswered("/api/tables") : null;
    const table = answer?.ok ? (await answer.json())[0]?.table : name;
    if (table) {
      return table;
    }
    await sleep(RETRY_MS);
  }
}
