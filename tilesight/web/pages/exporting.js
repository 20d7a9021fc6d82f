// What leaves a page: text for the clipboard, files, and a picture of the board.

const PNG_PX = 1200;

/** Copies a text field; a page that came by http has no clipboard, so its text is selected as a person would. */
export async function copyText(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}

/** Offers data as a download. */
export function offer(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Draws a board's SVG as a PNG picture. */
export async function boardPng(svg) {
  const copy = svg.cloneNode(true);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  const sheet = await (await fetch("/assets/common.css")).text();
  style.textContent = `${sheet}\n* { animation: none !important; }`;
  copy.prepend(style);
  copy.setAttribute("width", PNG_PX);
  copy.setAttribute("height", PNG_PX);
  const address = URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }),
  );
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PNG_PX;
  canvas.getContext("2d").drawImage(image, 0, 0, PNG_PX, PNG_PX);
  URL.revokeObjectURL(address);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
