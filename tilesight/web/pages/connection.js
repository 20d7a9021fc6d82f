// Follows a table by server-sent events, comes back after every interruption, and asks again and again where a
// browser gives no connection that stays open (it holds six to one server).

const OPEN_WITHIN_MS = 3000;
const ASK_EVERY_MS = 500;
const AGAIN_MS = 1000;

/**
 * Follows a table.
 *
 * @param {string} table its name
 * @param {{desk?: boolean, onState: Function, onEvents?: Function, onStatus?: Function, onLost?: Function}} options
 *   what to call: `onState` with every state, `onEvents` with each journal entry's number and events,
 *   `onStatus` with word of the camera, `onLost` with whether the connection is lost
 */
export function follow(table, { desk = false, onState, onEvents, onStatus, onLost }) {
  const address = `/api/tables/${encodeURIComponent(table)}${desk ? "/desk" : ""}`;
  let source = null;
  let asking = null;

  function open() {
    source = new EventSource(`${address}/events`);
    const patience = setTimeout(ask, OPEN_WITHIN_MS);
    source.addEventListener("open", () => {
      clearTimeout(patience);
      clearInterval(asking);
      asking = null;
      onLost?.(false);
    });
    source.addEventListener("change", (message) => {
      const { sequence, events, state } = JSON.parse(message.data);
      onEvents?.(sequence, events);
      if (state !== null) {
        onState(state);
      }
    });
    source.addEventListener("status", (message) => onStatus?.(JSON.parse(message.data)));
    source.addEventListener("error", () => {
      onLost?.(true);
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(patience); // refused, not interrupted: the browser has given up
        ask();
        setTimeout(open, AGAIN_MS);
      }
    });
  }

  function ask() {
    asking ??= setInterval(async () => {
      try {
        const answer = await fetch(address);
        if (answer.status === 401) {
          location.reload(); // the program began again with another token: the entrance asks for it
        } else if (answer.ok) {
          onState(await answer.json());
          onLost?.(false);
        }
      } catch {
        onLost?.(true);
      }
    }, ASK_EVERY_MS);
  }

  open();
}

/** What does not change during a game: letters, values, the board. */
export async function editionOf(table) {
  for (;;) {
    try {
      const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/edition`);
      if (answer.ok) {
        return await answer.json();
      }
      if (answer.status === 404) {
        return null;
      }
    } catch {
      // the server is not there yet
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
