// What an overlay's address may choose: table, parts, theme, font, colours.

export const PARTS = ["board", "scores", "clocks", "racks", "last", "unseen", "moves", "title", "picture"];
export const USUAL = ["board", "scores", "clocks", "racks", "last", "unseen", "moves", "title"];
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

/** The choices in a query string; what makes no sense is as if it were not there. */
export function choices(search) {
  const query = new URLSearchParams(search);
  const wanted = (query.get("parts") ?? "").split(",").filter((part) => PARTS.includes(part));
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
    parts: wanted.length > 0 ? wanted : USUAL,
    theme: ["dark", "light", "clear"].includes(theme) ? theme : "dark",
    font: /^[\p{L}\p{N} _-]{1,60}$/u.test(font) ? font : null,
    colours,
  };
}

/** Puts theme, font and colours on a page. */
export function dress(page, { theme, font, colours }) {
  page.dataset.theme = theme;
  if (font !== null) {
    page.style.setProperty("--font", `"${font}"`);
  }
  for (const [name, value] of Object.entries(colours)) {
    page.style.setProperty(`--${name}`, value);
  }
}

/** The table that is named, or the first there is. */
export async function tableNamed(name) {
  if (name !== null) {
    return name;
  }
  const tables = await (await fetch("/api/tables")).json();
  return tables[0].table;
}
