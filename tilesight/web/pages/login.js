// The login of the pages that need the console's token.

import { readAnswer } from "./answers.js";
import { askUntilAnswered, postJson } from "./connection.js";
import { element, find, setText } from "./dom.js";
import { translateMessage } from "./language.js";

let refusal = ""; // why the token in the address was refused

/** Sends the token; gives what is wrong, or an empty text. */
async function logIn(token) {
  return (await readAnswer(postJson("/api/session", { token }))).problem;
}

/** Logs in with the token in the address, if there is one; gives all tables and the name of the chosen one. */
export async function openSession() {
  const token = location.hash.slice(1);
  if (token !== "") {
    history.replaceState(null, "", location.pathname + location.search);
    refusal = await logIn(token);
  }
  const tables = await (await askUntilAnswered("/api/tables")).json();
  return { tables, table: new URLSearchParams(location.search).get("table") ?? tables[0]?.table };
}

/** Fills the list of tables; a choice leads to the same page of that table. */
export function offerTables(tables, table) {
  const select = find("#tables");
  select.append(
    ...tables.map((each) => element("option", { value: each.table, selected: each.table === table }, each.table)),
  );
  select.addEventListener("change", () => {
    const query = new URLSearchParams(location.search);
    query.set("table", select.value);
    location.search = query;
  });
}

/** Whether an answer says that this device is not signed in (also too often: 429), or not with the needed right. */
export function isRefused({ status }) {
  return [401, 403, 429].includes(status);
}

/** Says why there is no such table here, and links those that there are. */
export async function refuseTable(answer, tables) {
  const { message } = await answer.json();
  const links = tables.map(({ table }) => element("a", { href: `?table=${encodeURIComponent(table)}` }, table));
  find("main").append(
    element("p", { class: "refused", role: "alert" }, translateMessage(message)),
    element("ul", { class: "refused" }, ...links.map((link) => element("li", {}, link))),
  );
}

/** Shows the form that asks for the token. */
export function askForToken() {
  find("#entrance").addEventListener("submit", async (event) => {
    event.preventDefault();
    const wrong = await logIn(find("#token").value);
    setText(find("#entrance .answer"), wrong);
    if (wrong === "") {
      location.reload();
    }
  });
  setText(find("#entrance .answer"), refusal);
  find("#entrance").hidden = false;
  find("#token").focus();
}

/** Asks for the token of a table; on a hub, which has none, says that the table is on another machine. */
export async function askForTable(tables, table) {
  if (!(await (await askUntilAnswered("/api/place")).json()).hub) {
    askForToken();
    return;
  }
  const machine = tables.find((each) => each.table === table)?.machine;
  const reason = translateMessage("this table is on another machine; open the pages of that one");
  find("#entrance").after(element("p", { class: "refused", role: "alert" }, machine ? `${machine}: ${reason}` : reason));
}
