// What there is: points, method, parameters, view. Changes are snapshots that can be undone.

import { within } from "./view.js";

const MOST_SNAPSHOTS = 200;
const MOST_STEP = 10_000_000;
const NONE = {}; // one object, so that it can be told whether parameters have changed

export const FIRST = {
  task: "classes",
  methods: { classes: "svc", clusters: "kmeans", curve: "svr" },
  params: {},
  points: [],
  names: null, // of the axes, and of the classes
  source: null, // an object for each example, table or link: where another one is undone, its view comes back
  view: [0, 0, 3.3], // middle, half the shorter side
  step: null,
  lesson: null,
};

export class State {
  constructor() {
    this.now = structuredClone(FIRST);
    this.past = [];
    this.future = [];
    this.open = null;
    this.listeners = [];
  }

  get method() {
    return this.now.methods[this.now.task];
  }

  get params() {
    return this.now.params[this.method] ?? NONE;
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  /** Change something. Changes of the same `name` in a row are one to undo, until `settle`. */
  change(name, changes) {
    if (this.open !== name || name === null) {
      this.past.push(this.now);
      if (this.past.length > MOST_SNAPSHOTS) this.past.shift();
      this.future = [];
    }
    this.open = name;
    this.now = { ...this.now, ...changes };
    this.tell(changes);
  }

  settle() {
    this.open = null;
    this.tell({ settled: true });
  }

  /** Change what is not undone, such as the step that is looked at. */
  look(changes) {
    this.now = { ...this.now, ...changes };
    this.tell(changes);
  }

  set(name, value) {
    const params = { ...this.now.params, [this.method]: { ...this.params, [name]: value } };
    this.change(`set ${name}`, { params, step: null });
  }

  undo() {
    this.swap(this.past, this.future);
  }

  redo() {
    this.swap(this.future, this.past);
  }

  swap(from, to) {
    if (!from.length) return;
    to.push(this.now);
    const { view, lesson, source } = this.now;
    const found = from.pop();
    this.now = { ...found, view: found.source === source ? view : found.view, lesson, step: null };
    this.open = null;
    this.tell({ ...this.now });
  }

  tell(changes) {
    for (const listener of this.listeners) listener(changes);
  }
}

/** Points as the arrays of a request. */
export function arraysOf(points) {
  const places = new Float64Array(points.length * 2);
  const labels = new Uint8Array(points.length);
  points.forEach(([x, y, label], k) => {
    places[2 * k] = x;
    places[2 * k + 1] = y;
    labels[k] = label;
  });
  return { points: [places, [points.length, 2]], labels: [labels, [points.length]] };
}

/** The state as the part of a link behind its #. */
export async function toFragment(now) {
  const kept = { t: now.task, m: now.methods, p: now.params, v: now.view, s: now.step, l: now.lesson, n: now.names };
  const text = JSON.stringify({ ...kept, x: now.points });
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return "#1z." + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state of a link, checked; an error if it is none. */
export async function fromFragment(fragment, limits) {
  if (!fragment.startsWith("#1z.")) throw new Error("This link is not one of a playground of this version.");
  const said = await unpacked(fragment.slice(4));
  const points = said?.x;
  const whole = (p) =>
    Array.isArray(p) && p.length === 3 && p.every(Number.isFinite) && Number.isInteger(p[2]) && p[2] >= 0 && p[2] < limits.classes;
  if (!Array.isArray(points) || points.length > limits.points || !points.every(whole)) {
    throw new Error("The points of this link cannot be read.");
  }
  const view = Array.isArray(said.v) && said.v.length === 3 && said.v.every(Number.isFinite) && said.v[2] > 0 ? within(said.v) : FIRST.view;
  const task = Object.hasOwn(FIRST.methods, said.t) ? said.t : "classes";
  const object = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
  const methods = { ...FIRST.methods, ...object(said.m) };
  const words = (list) => (Array.isArray(list) && list.every((word) => typeof word === "string") ? list : null);
  const names = words(said.n?.axes)?.length === 2 ? { axes: said.n.axes, classes: words(said.n.classes) } : null;
  const step = Number.isInteger(said.s) && said.s >= 1 && said.s <= MOST_STEP ? said.s : null;
  return { task, methods, params: object(said.p), points, view, step, lesson: Number.isInteger(said.l) ? said.l : null, names, source: {} };
}

async function unpacked(text) {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await readUpTo(stream, 1_000_000));
  } catch (error) {
    if (error instanceof TooMuch) throw error;
    throw new Error("This link is damaged or cut off: copy the whole of it again.");
  }
}

/** Methods of a link that are not there are the first ones; parameters that cannot be have their defaults. */
export function clean(said, specification) {
  for (const task of Object.keys(said.methods)) {
    const known = specification.methods.filter((m) => m.task === task).map((m) => m.name);
    if (!known.length) delete said.methods[task];
    else if (!known.includes(said.methods[task])) said.methods[task] = known[0];
  }
  if (!specification.methods.find((m) => m.name === said.methods[said.task]).steps) said.step = null;
  const possible = (control, value) =>
    control.type === "choice"
      ? Object.hasOwn(control.options, value)
      : (value === "inf" && control.endless) || (Number.isFinite(value) && value >= control.low && value <= control.high && (!control.whole || Number.isInteger(value)));
  const params = {};
  for (const { name, controls } of specification.methods) {
    const given = Object.hasOwn(said.params, name) ? Object(said.params[name]) : {};
    const kept = controls.filter((c) => Object.hasOwn(given, c.name) && possible(c, given[c.name]));
    if (kept.length) params[name] = Object.fromEntries(kept.map((c) => [c.name, given[c.name]]));
  }
  said.params = params;
}

class TooMuch extends Error {}

async function readUpTo(stream, most) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > most) {
      reader.cancel();
      throw new TooMuch("This link holds too much.");
    }
  }
}
