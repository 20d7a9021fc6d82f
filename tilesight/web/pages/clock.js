// Clocks: the server gives the time left at a moment, and the page counts on.

import { setText } from "./dom.js";

const REFRESH_MS = 250;
/** Seconds from which a clock has another colour and a sign. */
const [LOW_S, LAST_S] = [300, 60];

/** Formats the time left as clocks show it: 25:00, 0:59, -0:08. */
function formatClock(leftS) {
  const whole = leftS >= 0 ? Math.ceil(leftS) : Math.floor(leftS);
  const seconds = String(Math.abs(whole) % 60).padStart(2, "0");
  return `${whole < 0 ? "-" : ""}${Math.floor(Math.abs(whole) / 60)}:${seconds}`;
}

/**
 * Keeps the players' clocks up to date, until they are taken off the page.
 *
 * @param {Function} clockOf gives the element of a player's clock by the player's number, if there is one
 * @returns {Function} takes each new state
 */
export function runClocks(clockOf) {
  let players = [];
  let receivedMs = 0;
  const paint = () => {
    const passedS = (performance.now() - receivedMs) / 1000;
    players.forEach(({ clock }, number) => {
      const place = clockOf(number);
      if (place?.isConnected === false) {
        clearInterval(timer);
      } else if (place) {
        const leftS = clock === null ? 0 : clock.left_s - (clock.running ? passedS : 0);
        setText(place, clock === null ? "" : formatClock(leftS));
        place.classList.toggle("running", clock?.running ?? false);
        place.classList.toggle("over", leftS < 0);
        place.classList.toggle("last", clock !== null && leftS >= 0 && leftS <= LAST_S);
        place.classList.toggle("low", clock !== null && leftS > LAST_S && leftS <= LOW_S);
      }
    });
  };
  const timer = setInterval(paint, REFRESH_MS);
  return (state) => {
    players = state.players;
    receivedMs = performance.now();
    paint();
  };
}
