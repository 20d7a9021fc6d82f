// Finds and makes elements. Text is never parsed as markup, whatever a player is called.

const SVG = "http://www.w3.org/2000/svg";

/** Finds the first element of a selector. */
export function find(selector) {
  return document.querySelector(selector);
}

/** Makes an HTML element with attributes and children. */
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element with attributes and children. */
export function svgElement(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children);
  return made;
}

const OPTION = /(--[a-z-]+)/;

/** Sets an element's text, unless it has it already; the name of an option in it is not broken at its hyphens. */
export function setText(where, text) {
  if (where.textContent !== text) {
    const parts = String(text).split(OPTION);
    where.replaceChildren(...parts.map((part, at) => (at % 2 === 1 ? element("span", { class: "option" }, part) : part)));
  }
}

/** Shows one line on a page that has nothing else to show yet; an empty text removes it. */
export function showNotice(text) {
  const place = find("#notice");
  if (text === "") {
    place?.remove();
  } else if (place === null) {
    document.body.append(element("p", { id: "notice", role: "status" }, text));
  }
}
