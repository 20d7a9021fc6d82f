// The server: its answers to JSON, and a table followed by server-sent events, reconnecting after every interruption.
// A table is polled where the browser opens no further connection (it opens six to one server).

const CONNECT_TIMEOUT_MS = 3000;
const POLL_EVERY_MS = 500;
const RETRY_MS = 1000;

/** Sends JSON to an address; gives the answer. */
export function postJson(address, body = {}) {
  return fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/**
 * Follows a table.
 *
 * @param {string} table its name
 * @param {{view?: string, onState: Function, onEvents?: Function, onMoments?: Function, onStatus?: Function, onLost?: Function}} options
 *   `view` is "/desk" for operators and "/commentary" for commentators; callbacks: `onState` for every state, `onEvents`
 *   for the number and events of each journal entry, `onMoments` for the moments of one entry and the state after it,
 *   `onStatus` for the state of the camera, `onLost` for whether the connection is lost
 */
export function follow(table, { view = "", onState, onEvents, onMoments, onStatus, onLost }) {
  const address = `/api/tables/${encodeURIComponent(table)}${view}`;
  let source = null;
  let polling = null;

  function open() {
    source = new EventSource(`${address}/events`);
    const timeout = setTimeout(poll, CONNECT_TIMEOUT_MS);
    source.addEventListener("open", () => {
      clearTimeout(timeout);
      clearInterval(polling);
      polling = null;
      onLost?.(false);
    });
    source.addEventListener("change", (message) => {
      const { sequence, events, state, moments } = JSON.parse(message.data);
      onEvents?.(sequence, events);
      if (state !== null) {
        onState(state);
      }
      if (moments.length > 0) {
        onMoments?.(moments, state);
      }
    });
    source.addEventListener("status", (message) => onStatus?.(JSON.parse(message.data)));
    source.addEventListener("error", () => {
      onLost?.(true);
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(timeout); // refused: the browser does not reconnect
        poll();
        setTimeout(open, RETRY_MS);
      }
    });
  }

  function poll() {
    polling ??= setInterval(async () => {
      try {
        const answer = await fetch(address);
        if (answer.status === 401) {
          location.reload(); // the program was restarted with another token: the login form asks for it
        } else if (answer.ok) {
          onState(await answer.json());
          onLost?.(false);
        }
      } catch {
        onLost?.(true);
      }
    }, POLL_EVERY_MS);
  }

  open();
}

/** Loads what does not change during a game: letters, values, the board. Null if there is no such table. */
export async function loadEdition(table) {
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
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
