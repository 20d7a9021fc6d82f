// Clocks: the server says what was left at a moment, the page counts on.

/** The time left as clocks show it: 25:00, 0:59, -0:08. */
export function clockText(leftS) {
  const whole = leftS >= 0 ? Math.ceil(leftS) : Math.floor(leftS);
  const seconds = String(Math.abs(whole) % 60).padStart(2, "0");
  return `${whole < 0 ? "-" : ""}${Math.floor(Math.abs(whole) / 60)}:${seconds}`;
}

/** Calls `show` with the clocks' times, four times a second and with every state. */
export function runClocks(show) {
  let players = [];
  let heardMs = 0;
  const tell = () => {
    const goneS = (performance.now() - heardMs) / 1000;
    show(
      players.map(({ clock }) =>
        clock === null ? null : { ...clock, left_s: clock.left_s - (clock.running ? goneS : 0) },
      ),
    );
  };
  setInterval(tell, 250);
  return (state) => {
    players = state.players;
    heardMs = performance.now();
    tell();
  };
}
