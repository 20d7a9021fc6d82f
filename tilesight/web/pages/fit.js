// Long names: written smaller, so that viewers can read all of them.

const SMALLEST = 0.6;
const TRIES = 3;

/** Makes lines equally smaller until none is cut off, down to six tenths; their style multiplies its size by `--fit`. */
export function fitLines(lines) {
  const all = [...lines];
  let share = 1;
  for (let tries = TRIES; ; tries -= 1) {
    all.forEach((line) => line.style.setProperty("--fit", share));
    const room = Math.min(...all.map((line) => line.clientWidth / line.scrollWidth));
    if (!(room < 1) || tries === 0) {
      return; // or nothing is shown
    }
    share = Math.max(SMALLEST, 0.99 * share * room);
  }
}
