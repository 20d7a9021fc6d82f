// A camera's picture on a canvas: each one is decoded before it replaces the last, so that nothing flickers.

/** Keeps a canvas up to date with the JPEG at an address, and gives what stops it. */
export function keepPicture(address, canvas, everyMs, onDrawn = () => {}) {
  let stopped = false;
  async function draw() {
    try {
      const answer = await fetch(address, { cache: "no-store" });
      if (answer.ok) {
        const picture = await createImageBitmap(await answer.blob());
        if (canvas.width !== picture.width || canvas.height !== picture.height) {
          canvas.width = picture.width;
          canvas.height = picture.height;
        }
        canvas.getContext("2d").drawImage(picture, 0, 0);
        picture.close();
        onDrawn();
      }
    } catch {
      // no picture now; the last one stays
    }
    if (!stopped) {
      setTimeout(draw, everyMs);
    }
  }
  draw();
  return () => {
    stopped = true;
  };
}
