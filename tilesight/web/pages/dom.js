// Making elements without markup: text is always text, whatever a player is called.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with attributes and children. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element with attributes and children. */
export function drawing(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children);
  return made;
}

/** Sets an element's text, and touches nothing if it has it already. */
export function setText(where, text) {
  if (where.textContent !== text) {
    where.textContent = text;
  }
}
