// Flags of countries, drawn from stripes and crosses; a country that is not here has its code.

import { element, svgElement } from "./dom.js";

const [WIDTH, HEIGHT] = [24, 16];

/** Stripes from top to bottom. */
const ROWS = {
  at: ["#c8102e", "#fff", "#c8102e"],
  bg: ["#fff", "#00966e", "#d62612"],
  de: ["#000", "#d00", "#ffce00"],
  ee: ["#0072ce", "#000", "#fff"],
  hu: ["#ce2939", "#fff", "#477050"],
  lt: ["#fdb913", "#006a44", "#c1272d"],
  lu: ["#ef3340", "#fff", "#00a3e0"],
  lv: ["#9e3039", "#9e3039", "#fff", "#9e3039", "#9e3039"],
  nl: ["#ae1c28", "#fff", "#21468b"],
  pl: ["#fff", "#dc143c"],
  ua: ["#0057b7", "#ffd700"],
  es: ["#aa151b", "#f1bf00", "#f1bf00", "#aa151b"],
};
/** Stripes from left to right. */
const COLUMNS = {
  be: ["#000", "#fae042", "#ed2939"],
  fr: ["#0055a4", "#fff", "#ef4135"],
  ie: ["#169b62", "#fff", "#ff883e"],
  it: ["#009246", "#fff", "#ce2b37"],
  ro: ["#002b7f", "#fcd116", "#ce1126"],
};
/** Nordic crosses: ground, outer cross, inner cross. */
const CROSSES = {
  ax: ["#0053a5", "#ffce00", "#d21034"],
  dk: ["#c8102e", "#fff", null],
  fi: ["#fff", "#003580", null],
  fo: ["#fff", "#0065bd", "#ed2939"],
  is: ["#02529c", "#fff", "#dc1e35"],
  no: ["#ba0c2f", "#fff", "#00205b"],
  se: ["#006aa7", "#fecc00", null],
};

function rect(x, y, width, height, fill) {
  return svgElement("rect", { x, y, width, height, fill });
}

function shapes(code) {
  if (code in ROWS) {
    const each = HEIGHT / ROWS[code].length;
    return ROWS[code].map((colour, number) => rect(0, number * each, WIDTH, each + 0.1, colour));
  }
  if (code in COLUMNS) {
    const each = WIDTH / COLUMNS[code].length;
    return COLUMNS[code].map((colour, number) => rect(number * each, 0, each + 0.1, HEIGHT, colour));
  }
  const [ground, outer, inner] = CROSSES[code];
  const made = [rect(0, 0, WIDTH, HEIGHT, ground), rect(6.5, 0, 4, HEIGHT, outer), rect(0, 6, WIDTH, 4, outer)];
  return inner === null ? made : [...made, rect(7.5, 0, 2, HEIGHT, inner), rect(0, 7, WIDTH, 2, inner)];
}

/** Makes the flag of a country by its code; nothing for an empty code. */
export function flag(code) {
  if (code === "") {
    return [];
  }
  if (!(code in ROWS) && !(code in COLUMNS) && !(code in CROSSES)) {
    return [element("span", { class: "flag code", translate: "no" }, code.toUpperCase())];
  }
  const svg = svgElement(
    "svg",
    { class: "flag", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": code.toUpperCase() },
    ...shapes(code),
  );
  return [svg];
}
