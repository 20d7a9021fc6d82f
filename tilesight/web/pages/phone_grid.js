// Draws the board's grid as the table found it, over the camera's picture.

import { svgElement } from "./dom.js";

/** Gives the projection of the unit square onto a quadrilateral TL TR BR BL (Heckbert 1989, section 2.2.3). */
function projectionOf([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const area = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / area;
  const h = (dx1 * sy - sx * dy1) / area;
  const [a, b, d, e] = [x1 - x0 + g * x1, x3 - x0 + h * x3, y1 - y0 + g * y1, y3 - y0 + h * y3];
  return (u, v) => {
    const depth = g * u + h * v + 1;
    return [(a * u + b * v + x0) / depth, (d * u + e * v + y0) / depth];
  };
}

function line(project, from, to, name) {
  const [[x1, y1], [x2, y2]] = [project(...from), project(...to)];
  return svgElement("line", { x1, y1, x2, y2, class: name });
}

/** Gives the mean side of a square in pixels. */
export function squareSide(corners, rows, columns) {
  const sides = corners.map(([x, y], number) => {
    const [nextX, nextY] = corners[(number + 1) % 4];
    return Math.hypot(nextX - x, nextY - y);
  });
  return sides.reduce((sum, side) => sum + side, 0) / (2 * (rows + columns));
}

/** Shows the grid with these corners, in pixels of a picture of this size; null takes it away. */
export function showGrid(svg, corners, { rows, columns, width, height }) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  if (corners === null) {
    svg.replaceChildren();
    return;
  }
  const project = projectionOf(corners);
  const lines = [];
  for (let row = 1; row < rows; row += 1) {
    lines.push(line(project, [0, row / rows], [1, row / rows], "inner"));
  }
  for (let column = 1; column < columns; column += 1) {
    lines.push(line(project, [column / columns, 0], [column / columns, 1], "inner"));
  }
  const outline = svgElement("polygon", { points: corners.map((corner) => corner.join(",")).join(" ") });
  svg.replaceChildren(...lines, outline);
}
