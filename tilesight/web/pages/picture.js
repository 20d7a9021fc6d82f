// A camera's picture on a canvas. Each picture is decoded before it replaces the last one, so that nothing flickers.

import { ask } from "./connection.js";

const IDLE_EVERY_MS = 3000; // while there is no picture

/** Keeps a canvas up to date with the JPEG at an address; gives a function that stops this. */
export function keepPicture(address, canvas, everyMs, onDrawn = () => {}) {
  let stopped = false;
  async function draw() {
    let isDrawn = false;
    try {
      const answer = await ask(address, { cache: "no-store" });
      if (answer.ok) {
        const picture = await createImageBitmap(await answer.blob());
        if (canvas.width !== picture.width || canvas.height !== picture.height) {
          canvas.width = picture.width;
          canvas.height = picture.height;
        }
        canvas.getContext("2d").drawImage(picture, 0, 0);
        picture.close();
        isDrawn = true;
        onDrawn();
      }
    } catch {
      // no picture now: the last one stays
    }
    if (!stopped) {
      setTimeout(draw, isDrawn ? everyMs : Math.max(everyMs, IDLE_EVERY_MS));
    }
  }
  draw();
  return () => {
    stopped = true;
  };
}
