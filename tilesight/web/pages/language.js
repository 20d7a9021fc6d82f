// The page's language: its messages, numbers, and the texts of its HTML.
//
// A message is written in English, with its values in braces: gettext("{name} wins", { name }). A message with a number
// has two texts: ngettext("{n} tile", "{n} tiles", n). A text that the server sends goes through translateMessage().
// Texts in HTML need no mark; translate="no" leaves an element as it is.

import { askUntilAnswered } from "./connection.js";
import { readQuery } from "./options.js";

const ATTRIBUTES = ["aria-label", "title", "placeholder", "alt"];
const page = document.documentElement;

async function load() {
  const asked = readQuery();
  const query = new URLSearchParams({ reader: page.dataset.reader ?? "viewer" });
  for (const name of ["lang", "table"]) {
    if (asked.has(name)) {
      query.set(name, asked.get(name));
    }
  }
  const answer = await askUntilAnswered(`/api/language?${query}`);
  return answer.ok ? await answer.json() : { language: "en", languages: {}, messages: {}, server: {} };
}

const { language: chosen, languages: known, messages, server } = await load();
const rules = pluralRules();

/** The page's language, by its tag. */
export const language = chosen;

/** The languages that there are: each by its tag, with its own name. */
export const languages = known;

/** Plural rules of the language; a browser without its data gets those of English. */
function pluralRules() {
  return new Intl.PluralRules(Intl.PluralRules.supportedLocalesOf(chosen).length > 0 ? chosen : "en");
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (hole, name) => (name in values ? String(values[name]) : hole));
}

/** Gives a message in the page's language, with its values filled in. */
export function gettext(text, values = {}) {
  return fill(messages[text] ?? text, values);
}

/** Gives the message for a number, which is the value {n}. */
export function ngettext(one, several, n, values = {}) {
  const texts = messages[one] ?? [one, several];
  return fill(texts[rules.select(n) === "one" ? 0 : texts.length - 1], { n: formatNumber(n), ...values });
}

/** Formats a number, with a true minus sign. */
export function formatNumber(value) {
  return new Intl.NumberFormat(chosen, { useGrouping: false }).format(value).replace("-", "−");
}

/** Formats a share such as 0.93 in per cent. */
export function formatPercent(share) {
  return new Intl.NumberFormat(chosen, { style: "percent" }).format(share);
}

/** Formats a moment, in seconds since 1970, as a time of the day. */
export function formatTime(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString(chosen);
}

/** The server's texts with values, those with the most text first. */
const templates = Object.keys(server)
  .filter((text) => /\{\w+\}/.test(text))
  .sort((one, other) => lengthOfText(other) - lengthOfText(one))
  .map((text) => ({
    text,
    names: [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    strict: patternOf(text, "((?:(?!; ).)*?)"), // several texts in a row are separated by semicolons
    loose: patternOf(text, "(.*?)"),
  }));

function lengthOfText(text) {
  return text.replace(/\{\w+\}/g, "").length;
}

/** A text does not begin with a value in which another text ends. A last value after a colon may be several texts. */
function patternOf(text, value) {
  const [first, ...others] = text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const values = others.map((part, number) => `${number === 0 && first === "" ? "((?:(?!: |; ).)*?)" : value}${part}`);
  if (others.at(-1) === "" && (others.at(-2) ?? first).endsWith(": ")) {
    values[values.length - 1] = "(.*)";
  }
  return new RegExp(`^${first}${values.join("")}$`, "su");
}

/** Gives a text of the server in the page's language; its values may be texts of the server, too. */
export function translateMessage(text) {
  const [several, about, listed] = ["; ", ": ", ", "].map((sign) => () => translateParts(text, sign));
  return server[text] ?? translateBy("strict", text) ?? several() ?? translateBy("loose", text) ?? about() ?? listed() ?? text;
}

function translateBy(kind, text) {
  for (const { text: source, names, [kind]: pattern } of templates) {
    const found = pattern.exec(text);
    if (found !== null) {
      const values = names.map((name, number) => [name, translateMessage(found[number + 1])]);
      return fill(server[source], Object.fromEntries(values));
    }
  }
  return undefined;
}

/** Translates the texts before and after a sign, if there is anything to translate. */
function translateParts(text, sign) {
  const at = text.indexOf(sign);
  const parts = at > 0 ? [text.slice(0, at), text.slice(at + sign.length)].map(translateMessage).join(sign) : text;
  return parts === text ? undefined : parts;
}

/** Translates the texts and labels of the HTML. */
function translatePage() {
  page.lang = chosen;
  const texts = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.data.replace(/\s+/g, " ").trim();
    if (messages[text] !== undefined && node.parentElement.closest("[translate=no], kbd") === null) {
      node.data = node.data.replace(/^(\s*).*?(\s*)$/s, (_, before, after) => before + messages[text] + after);
    }
  }
  for (const name of ATTRIBUTES) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, gettext(element.getAttribute(name)));
    }
  }
}

translatePage();
