// Small helpers for elements, numbers and messages.

/** An element with attributes (`onclick` and the like are listeners) and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const $ = (selector) => document.querySelector(selector);

/** A number as the page shows it: `digits` significant ones, with a true minus sign. */
export function shown(value, digits = 6) {
  if (typeof value === "string") return value === "inf" ? "∞" : value === "-inf" ? "−∞" : "not known";
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return String(value).replace("-", "−");
  let text = size >= 1e7 || size < 1e-4 ? value.toExponential(Math.max(digits - 3, 1)) : value.toPrecision(digits);
  if (text.includes("e")) text = text.replace(/e\+?/, "e");
  return text.replaceAll("-", "−");
}

let timer;
/** Say something at the foot of the picture, or of the dialog that is open, also to screen readers. */
export function say(text, kind = "") {
  const place = $("#toast");
  const host = $("dialog[open]") ?? $("#stage");
  if (place.parentElement !== host) host.append(place);
  place.textContent = text;
  place.className = kind;
  place.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (place.hidden = true), kind === "bad" ? 8000 : 3500);
}

/** Call at most once in so many milliseconds, the last time for sure. */
export function calm(milliseconds, call) {
  let waiting;
  return (...args) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => call(...args), milliseconds);
  };
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied`);
  } catch {
    const area = make("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    say(done ? `${what} copied` : `${what} could not be copied`, done ? "" : "bad");
  }
}

export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
