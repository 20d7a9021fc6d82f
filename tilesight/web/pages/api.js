// The API's description as a page: every operation with its request and its answers.

import { element, find } from "./dom.js";

const description = await (await fetch("/openapi.json")).json();

function shapeOf(schema, depth = 0) {
  if (schema === undefined) {
    return "";
  }
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1);
    const found = description.components.schemas[name];
    if (depth > 2 || found.properties === undefined) {
      return name;
    }
    const pad = "  ".repeat(depth + 1);
    const lines = Object.entries(found.properties).map(
      ([key, value]) => `${pad}${key}: ${shapeOf(value, depth + 1)}`,
    );
    return `${name}\n${lines.join("\n")}`;
  }
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map((each) => shapeOf(each, depth)).join(" | ");
  }
  if (schema.type === "array") {
    const items = schema.prefixItems?.map((each) => shapeOf(each, depth)).join(", ");
    return `[${items ?? shapeOf(schema.items, depth)}]`;
  }
  return schema.enum?.join(" | ") ?? schema.type ?? "any";
}

function operation(path, method, { summary, description: text, requestBody, responses, security }) {
  const answers = Object.entries(responses).map(([code, response]) => `${code} ${response.description}`);
  const body = requestBody?.content["application/json"]?.schema;
  const answer = Object.values(responses["200"]?.content ?? {})[0]?.schema;
  return element(
    "section",
    { class: "operation" },
    element("h2", {}, element("code", {}, `${method.toUpperCase()} ${path}`)),
    element("p", {}, text ?? summary, security ? element("span", { class: "lock" }, "  needs the token") : ""),
    ...(body ? [element("pre", {}, `sends ${shapeOf(body)}`)] : []),
    ...(answer ? [element("pre", {}, `answers ${shapeOf(answer)}`)] : []),
    element("pre", {}, answers.join("\n")),
  );
}

find("#operations").append(
  ...Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => operation(path, method, each)),
  ),
);
