// Save the corrections as a file, or discard them.
async function save() {
  takeStored();
  const pictures = {};
  for (const [picture, each] of Object.entries(corrections)) {
    const squares = squaresOf(each).map(([row, column, token]) => ({ square: [row, column], token }));
    pictures[picture] = { edition: each.edition, turn: each.turn, no_board: each.none, corners: each.corners, squares, lay: each.lay };
  }
  const text = JSON.stringify({ schema: 1, pictures }, null, 1) + "\n";
  // A name of its own: of two files of one name, browsers rename the second one.
  const name = `corrections-${new Date().toLocaleString("sv").replace(/\D+/g, "-")}.json`;
  if (window.showSaveFilePicker) {
    try {
      const handle = await window.showSaveFilePicker({ suggestedName: name });
      const file = await handle.createWritable();
      await file.write(text);
      await file.close();
      return saved(handle.name);
    } catch (error) {
      if (error.name === "AbortError") return;
    }
  }
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = name;
  link.click();
  saved(name);
}
function saved(name) {
  element("unsaved-text").textContent = `Saved. Now: tilesight digitise … --corrections "${name}"`;
  // Of photos that are not in the report, no later run's page could find that they are applied.
  const others = Object.keys(corrections).filter((picture) => !reported.has(picture));
  for (const picture of others) delete corrections[picture];
  storeCorrections(others);
  if (element("detail").open) focusBoard(); // Enter would save again
}
element("save").addEventListener("click", save);
// Ask twice: discarded corrections are lost.
element("discard").addEventListener("click", () => {
  const button = element("discard");
  if (button.textContent === "Discard") {
    button.textContent = "Really discard?";
    setTimeout(() => { button.textContent = "Discard"; }, 4000);
    return;
  }
  button.textContent = "Discard";
  corrections = {};
  photos.forEach(applyCorrections);
  try { localStorage.removeItem(STORE); } catch { /* a browser may keep nothing */ }
  drawUnsaved();
  filter();
  if (element("detail").open) open(current);
});
// Another open copy of the page has stored corrections.
window.addEventListener("storage", (event) => {
  if (event.key !== STORE && event.key !== null) return;
  const state = () => current && JSON.stringify([
    corrections[current.sha256], editionOf(current), current.rows, openDoubts(current),
  ]);
  const was = state();
  takeStored();
  photos.forEach(redrawLine);
  drawUnsaved();
  if (element("detail").open && state() !== was) open(current);
});
