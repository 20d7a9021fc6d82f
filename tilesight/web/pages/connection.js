// The server: its answers to JSON, and a table followed by server-sent events, reconnecting after every interruption.
// A browser opens six connections to one server, over all its pages. Four of them may be streams of events; pages that
// get none ask for the state instead, so that connections are left for everything else.

const MAX_STREAMS = 4;
const KEPT_STREAMS = 2; // for pages that a state alone does not serve: moments, operators, commentators
const CONNECT_TIMEOUT_MS = 3000;
const MAX_SILENCE_MS = 15_000; // the server sends something every 5 s
const ANSWER_TIMEOUT_MS = 8000;
const START_TIMEOUT_MS = 20_000; // texts of all messages may come over a slow network
const POLL_EVERY_MS = 500;
export const RETRY_MS = 1000;

/** Waits for a number of milliseconds. */
export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks for an address; an answer that does not come in time is an error, as a network that fails. */
export function ask(address, options = {}) {
  return fetch(address, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS), ...options });
}

/** Asks for what a page needs before it shows anything, until the server answers; gives the complete answer. */
export async function askUntilAnswered(address) {
  for (;;) {
    try {
      const answer = await ask(address, { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
      if (![502, 503, 504].includes(answer.status)) { // these are a proxy's, while the server is away
        return new Response(await answer.text(), answer);
      }
    } catch {
      // the server is not there yet
    }
    await sleep(RETRY_MS);
  }
}

/** Sends JSON to an address; gives the answer. */
export function postJson(address, body = {}, options = {}) {
  return ask(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...options,
  });
}

/** Calls `open` when this page may have a stream, and `wait` if there is none for it now. */
function takeStream(places, open, wait) {
  if (navigator.locks === undefined) {
    (places === MAX_STREAMS ? open : wait)(); // an unencrypted page of another machine does not know of the others
    return;
  }
  const others = new AbortController();
  const isTaken = () => others.signal.aborted;
  for (let place = 0; place < places; place += 1) {
    const hold = () => {
      if (!isTaken()) {
        others.abort();
        open();
        return new Promise(() => {}); // as long as the page is there
      }
      return null;
    };
    navigator.locks.request(`tilesight stream ${place}`, { signal: others.signal }, hold).catch(() => {});
  }
  sleep(RETRY_MS).then(() => isTaken() || wait());
}

/**
 * Follows a table.
 *
 * @param {string} table its name
 * @param {{view?: string, onState: Function, onEvents?: Function, onMoments?: Function, onStatus?: Function, onLost?: Function, onMissing?: Function}} options
 *   `view` is "/desk" for operators and "/commentary" for commentators; callbacks: `onState` for every state, `onEvents`
 *   for the number and events of each journal entry, `onMoments` for the moments of one entry and the state after it,
 *   `onStatus` for the state of the camera, `onLost` for whether the connection is lost, `onMissing` each time that the
 *   server answers that there is no such table
 */
export function follow(table, { view = "", onState, onEvents, onMoments, onStatus, onLost, onMissing }) {
  const address = `/api/tables/${encodeURIComponent(table)}${view}`;
  let source = null;
  let silence = null;
  let polling = null;
  let wasLost = false;

  function report(isLost) {
    if (wasLost && !isLost) {
      checkEdition(table);
    }
    wasLost = isLost;
    onLost?.(isLost);
  }

  function open() {
    let newest = -1; // of this stream: a server that was started again may count anew
    source?.close();
    source = new EventSource(`${address}/events`);
    const timeout = setTimeout(poll, CONNECT_TIMEOUT_MS);
    listen();
    source.addEventListener("open", () => {
      clearTimeout(timeout);
      listen();
      polling = null;
      newest = -1;
      report(false);
    });
    source.addEventListener("alive", listen);
    source.addEventListener("change", (message) => {
      listen();
      const { sequence, events, state, moments } = JSON.parse(message.data);
      if (sequence < newest) {
        return; // it waited while the page was sent the state after it
      }
      newest = sequence;
      onEvents?.(sequence, events);
      if (state !== null) {
        onState(state);
      }
      if (moments.length > 0) {
        onMoments?.(moments, state);
      }
    });
    source.addEventListener("status", (message) => {
      listen();
      onStatus?.(JSON.parse(message.data));
    });
    source.addEventListener("error", () => {
      report(true);
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(timeout); // refused: the browser does not reconnect
        clearTimeout(silence);
        poll();
        setTimeout(open, RETRY_MS);
      }
    });
  }

  /** Connects again after a silence: a network may fail without a sign. */
  function listen() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      report(true);
      open();
    }, MAX_SILENCE_MS);
  }

  /** Asks for the state again and again, until the stream is open; what arrives later is older than the stream's. */
  async function poll() {
    if (polling !== null) {
      return;
    }
    const mine = {};
    polling = mine;
    for (; polling === mine; await sleep(POLL_EVERY_MS)) {
      try {
        const answer = await ask(address);
        const state = answer.ok ? await answer.json() : null;
        if (polling !== mine) {
          return;
        }
        if (answer.status === 401 || (answer.status === 429 && view !== "")) {
          location.reload(); // the program was restarted with another token: the login form asks for it
        } else if (answer.status === 404) {
          onMissing?.();
        } else if (state !== null) {
          onState(state);
          report(false);
        }
      } catch {
        if (polling === mine) {
          report(true);
        }
      }
    }
  }

  takeStream(onMoments !== undefined || view !== "" ? MAX_STREAMS : MAX_STREAMS - KEPT_STREAMS, open, poll);
}

let loaded = "";

function editionAddress(table) {
  return `/api/tables/${encodeURIComponent(table)}/edition`;
}

/** Loads the page again if the program was started with another edition of the same name. */
async function checkEdition(table) {
  try {
    const answer = await ask(editionAddress(table));
    if (loaded !== "" && answer.ok && (await answer.text()) !== loaded) {
      location.reload();
    }
  } catch {
    // lost again: the next connection checks it
  }
}

/** Loads what does not change during a game: letters, values, the board. A hub may get the table later. */
export async function loadEdition(table, onMissing = () => {}) {
  for (;;) {
    const answer = await askUntilAnswered(editionAddress(table));
    if (answer.ok) {
      loaded = await answer.text();
      return JSON.parse(loaded);
    }
    if (answer.status === 404) {
      onMissing();
    }
    await sleep(RETRY_MS);
  }
}
