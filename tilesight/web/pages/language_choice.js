// The choice of the page's language.

import { element } from "./dom.js";
import { gettext, language, languages } from "./language.js";

/** Makes a list of the languages, each with its own name; a choice loads the page again. */
export function languageChoice() {
  const options = Object.entries(languages).map(([tag, name]) =>
    element("option", { value: tag, lang: tag, selected: tag === language }, name),
  );
  const select = element("select", { class: "language", "aria-label": gettext("Language") }, ...options);
  select.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    query.set("lang", select.value);
    location.search = query;
  });
  return select;
}
