// The name of a device, from what its browser calls itself.

// A browser names those before it, and Android names Linux: the first that is found counts.
const BROWSERS = ["Firefox", "Edg", "Chrome", "Safari"];
const SYSTEMS = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"];

/** Names a device: its browser, its system and its address. */
export function nameDevice({ device, address }) {
  const browser = BROWSERS.find((name) => device.includes(name)) ?? "";
  const system = SYSTEMS.find((name) => device.includes(name)) ?? "";
  return [browser, system, address].filter((part) => part !== "").join(" ");
}
