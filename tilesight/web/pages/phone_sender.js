// Sends a video's pictures to the table, one after the other: the next one is taken when the last one was answered, so
// that none waits anywhere. It goes on by itself after every failure.

import { sleep } from "./connection.js";

const QUALITY = 0.85;
const TIMEOUT_MS = 8000;
const FRAME_TIMEOUT_MS = 2000;
const FRAME_MS = 25; // before a picture is due, the camera's next one is waited for
const MAX_INTERVAL_MS = 5000; // after a longer one, the rate is measured anew
const RETRY_MS = [250, 500, 1000, 2000];

/** Waits for the video's next picture; gives false if none comes, as from a camera that another program took. */
function nextFrame(video) {
  if (video.requestVideoFrameCallback === undefined) {
    return sleep(40).then(() => video.readyState >= 2);
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      video.cancelVideoFrameCallback(handle);
      resolve(false);
    }, FRAME_TIMEOUT_MS);
    const handle = video.requestVideoFrameCallback(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Sends the pictures of a video element to one table. */
export class PictureSender {
  #address;
  #video;
  #listener;
  #canvas = document.createElement("canvas");
  #ticket = null;
  #everyMs = 125;
  #run = null;
  #failures = 0;
  #onItsWay = null;
  #sentMs = -Infinity; // when the last picture was taken; never, after a pause
  #intervalMs = 0; // usual time between two pictures; 0 before the second

  /**
   * @param {string} address the phone's part of the table's API
   * @param {HTMLVideoElement} video the camera's picture
   * @param {{onState: Function, onView: Function}} listener
   *   `onState` for sending, lost, no-picture, hidden, taken (with the sender), refused and off;
   *   `onView` for what the table answers, the size of the picture, and pictures a second where they are known
   */
  constructor(address, video, listener) {
    this.#address = address;
    this.#video = video;
    this.#listener = listener;
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        // A picture that is on its way must not arrive after the pause.
        const pause = () => {
          if (document.hidden && this.isRunning) {
            this.#pause("hidden");
            this.#listener.onState("hidden");
          }
        };
        Promise.resolve(this.#onItsWay).then(pause, pause);
      }
    });
    addEventListener("pagehide", () => this.#pause("stopped"));
  }

  /** The longer side of the pictures at most. */
  maxSide = 1920;

  get isRunning() {
    return this.#run !== null;
  }

  /** Becomes the table's camera, and sends until `stop`, or until another device becomes it. */
  start() {
    const run = {};
    this.#run = run;
    this.#ticket = null;
    this.#failures = 0;
    this.#loop(run);
  }

  stop() {
    this.#run = null;
    this.#pause("stopped");
    this.#listener.onState("off");
  }

  #pause(reason) {
    this.#sentMs = -Infinity;
    if (this.#ticket === null) {
      return;
    }
    const body = JSON.stringify({ ticket: this.#ticket, reason });
    this.#post("pause", { "content-type": "application/json" }, body, { keepalive: true }).catch(() => {});
    if (reason === "stopped") {
      this.#ticket = null;
    }
  }

  #post(path, headers, body, options = {}) {
    return fetch(`${this.#address}/${path}`, {
      method: "POST",
      headers,
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...options,
    });
  }

  async #loop(run) {
    while (this.#run === run) {
      const began = performance.now();
      if (document.hidden) {
        await sleep(100);
        continue;
      }
      if (!(await nextFrame(this.#video))) {
        if (this.#run === run && !document.hidden) {
          if (this.#sentMs > -Infinity) {
            this.#pause("no-camera");
          }
          this.#listener.onState("no-picture");
        }
        continue;
      }
      if (document.hidden) {
        continue; // meanwhile
      }
      let answer = null;
      const begins = this.#ticket === null;
      try {
        this.#onItsWay = begins ? this.#begin() : this.#send();
        answer = await this.#onItsWay;
      } catch {
        // the network: the loop tries again
      }
      if (this.#run === null && begins && answer?.ok) {
        await this.#take(answer, began);
        this.#pause("stopped"); // the stop came before the table's answer
      }
      if (this.#run !== run) {
        return;
      }
      await this.#take(answer, began);
    }
  }

  #begin() {
    return this.#post("start", { "content-type": "application/json" }, "{}");
  }

  async #send() {
    const { videoWidth, videoHeight } = this.#video;
    const scale = Math.min(1, this.maxSide / Math.max(videoWidth, videoHeight));
    const width = Math.round(videoWidth * scale);
    const height = Math.round(videoHeight * scale);
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    this.#canvas.getContext("2d", { alpha: false }).drawImage(this.#video, 0, 0, width, height);
    const picture = await new Promise((resolve) => this.#canvas.toBlob(resolve, "image/jpeg", QUALITY));
    return this.#post("picture", { "content-type": "image/jpeg", "x-ticket": this.#ticket }, picture);
  }

  /** Takes the server's answer, or null for none, and waits until the next picture is due. */
  async #take(answer, began) {
    const reply = (await answer?.json().catch(() => ({}))) ?? {};
    if (answer?.ok) {
      this.#failures = 0;
      if (reply.ticket !== undefined) {
        this.#ticket = reply.ticket;
        this.#everyMs = 1000 / reply.pictures_per_s;
        return;
      }
      const intervalMs = began - this.#sentMs;
      const usualMs = this.#intervalMs || intervalMs;
      this.#sentMs = began;
      this.#intervalMs = intervalMs > MAX_INTERVAL_MS ? 0 : 0.9 * usualMs + 0.1 * intervalMs;
      if (!document.hidden) {
        const perS = this.#intervalMs > 0 ? 1000 / this.#intervalMs : undefined;
        this.#listener.onState("sending");
        this.#listener.onView(reply, { width: this.#canvas.width, height: this.#canvas.height, perS });
      }
      await sleep(this.#everyMs - FRAME_MS - (performance.now() - began));
    } else if (answer?.status === 409) {
      this.#ticket = null;
      if (reply.sender !== null) {
        this.#run = null;
        this.#listener.onState("taken", reply.sender);
      }
    } else if (answer?.status === 401 || answer?.status === 403) {
      this.#run = null;
      this.#listener.onState("refused");
    } else {
      this.#listener.onState("lost", reply.message);
      await sleep(RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)]);
      this.#failures += 1;
    }
  }
}
