// The picture in a notebook: points are drawn as on the page, the kernel answers with the model.

import { Editor } from "./editor.js";
import { unpack } from "./frames.js";
import { DARK, LIGHT, NAMES, shape } from "./palette.js";
import { draw } from "./scene.js";
import { State, arraysOf } from "./state.js";
import { View } from "./view.js";

const CELLS = [120, 90];
const PATIENCE = 30_000; // milliseconds after which a kernel that has not answered is asked again
const TOOLS = { draw: "Draw", brush: "Brush", erase: "Erase" };
const HELP =
  "The points and the model. Click adds a point, dragging moves it, the right button deletes it. Arrows move a cross, Enter draws a point there, " +
  "n and p choose points, Alt with the arrows moves the chosen one, Delete deletes it; 1 to 6 choose the class, Ctrl+Z undoes.";

class Picture {
  constructor(model, el) {
    this.model = model;
    this.answer = null;
    this.hover = null;
    this.state = new State();
    this.specification = { limits: { points: model.get("most"), classes: model.get("classes") } };
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", HELP);
    this.canvas.dataset.lmSuppressShortcuts = "true"; // or JupyterLab takes the keys
    Object.assign(this.canvas.style, { width: "100%", maxWidth: `${model.get("width")}px`, height: `${model.get("height")}px`, display: "block", touchAction: "none", cursor: "crosshair", borderRadius: "8px" });
    // a notebook is scrolled past a picture that is not at work
    this.canvas.addEventListener("wheel", (event) => document.activeElement !== this.canvas && event.stopImmediatePropagation());
    this.controls = { update: () => this.mark() };
    this.editor = new Editor(this, this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.words = document.createElement("output");
    this.bar = document.createElement("div");
    Object.assign(this.bar.style, { display: "flex", gap: "6px", alignItems: "center", font: "13px system-ui, sans-serif", marginTop: "6px", flexWrap: "wrap" });
    this.bar.append(...this.buttons(), this.words);
    el.append(this.canvas, this.bar);
    this.read();
    this.state.listen((changes) => this.changed(changes));
    model.on("msg:custom", (header, buffers) => this.take(header, buffers));
    model.on("change:drawn", () => same(model.get("drawn"), this.state.now.points) || this.state.change(null, { points: copied(model.get("drawn")) }));
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    this.mark();
    this.ask();
  }

  /** The colours of the notebook: of JupyterLab, of VS Code, or of the browser. */
  get palette() {
    const { dataset, classList } = document.body;
    if (dataset.jpThemeLight) return dataset.jpThemeLight === "false" ? DARK : LIGHT;
    if (classList.contains("vscode-dark") || classList.contains("vscode-light")) return classList.contains("vscode-dark") ? DARK : LIGHT;
    return matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
  }

  get view() {
    return new View(this.state.now.view, this.width, this.height);
  }

  // what the editor asks of the page

  inspect(point) {
    if (point !== this.hover) this.redraw();
    this.hover = point;
  }

  say(text) {
    this.words.textContent = text;
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  // the buttons and keys

  buttons() {
    const made = (label, content, onclick) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", onclick, title: label });
      button.setAttribute("aria-label", label);
      button.append(content);
      return button;
    };
    const classes = this.model.get("task") === "classes" ? this.specification.limits.classes : 0;
    this.swatches = Array.from({ length: classes }, (_, k) => made(`Draw class ${k}, ${NAMES[k]} (key ${k + 1})`, this.icon(k), () => this.editor.choose(k)));
    this.tools = Object.entries(TOOLS).map(([tool, title]) => made(title, title, () => this.editor.use(tool)));
    this.tools.forEach((button, k) => (button.dataset.tool = Object.keys(TOOLS)[k]));
    const others = [made("Undo", "↶", () => this.back("undo")), made("Redo", "↷", () => this.back("redo")), made("Show all points", "Fit", () => this.editor.fitView())];
    return [...this.swatches, ...this.tools, ...others];
  }

  icon(k) {
    const icon = document.createElement("canvas");
    icon.width = icon.height = 22;
    const pen = icon.getContext("2d");
    pen.fillStyle = this.palette.classes[k];
    shape(pen, k, 11, 11, 7);
    pen.fill();
    return icon;
  }

  /** Which class and which tool are chosen. */
  mark() {
    const chosen = (button, is) => {
      button.setAttribute("aria-pressed", String(is));
      button.style.outline = is ? "2px solid #0b6aa8" : "";
    };
    this.swatches.forEach((button, k) => chosen(button, k === this.editor.label));
    this.tools.forEach((button) => chosen(button, button.dataset.tool === this.editor.tool));
  }

  key(event) {
    if (event.key === "Tab") return;
    event.stopPropagation(); // the notebook has keys of its own
    if (event.ctrlKey || event.metaKey) {
      const way = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[event.key.toLowerCase()];
      if (!way) return;
      this.back(way);
    } else if (event.altKey || !this.editor.shortcut(event.key)) return;
    event.preventDefault();
  }

  back(way) {
    this.editor.drag = null;
    this.state[way]();
  }

  // points, questions and answers

  read() {
    const { model } = this;
    this.state.now = { ...this.state.now, task: model.get("task"), view: model.get("view"), points: copied(model.get("drawn")) };
  }

  changed(changes) {
    if (this.editor.chosen !== null && this.editor.chosen >= this.state.now.points.length) this.editor.chosen = null;
    if ("points" in changes) {
      this.model.set("drawn", this.state.now.points);
      this.model.save_changes();
    }
    if ("points" in changes || "view" in changes) this.ask();
    this.redraw();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    [this.width, this.height] = [Math.max(50, box.width), Math.max(50, box.height)];
    Object.assign(this.canvas, { width: Math.round(this.width * devicePixelRatio), height: Math.round(this.height * devicePixelRatio) });
    this.redraw();
    if (this.asked) this.ask();
  }

  /** One question is under way at a time, and after it the newest. */
  ask() {
    this.again = this.busy && performance.now() - this.asked.at < PATIENCE;
    if (this.again) return;
    this.busy = true;
    const { points } = this.state.now;
    this.asked = { at: performance.now(), count: points.length };
    const { points: places, labels } = arraysOf(points);
    this.model.send({ kind: "fit", view: this.view.bounds, cells: CELLS }, undefined, [places[0].buffer, labels[0].buffer]);
  }

  take(_, buffers) {
    this.busy = false;
    const data = buffers[0];
    const { header, arrays } = unpack(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
    this.answer = header.error ? null : { header, arrays, count: this.asked.count };
    this.say(header.error ? header.error.message : header.words);
    this.redraw();
    if (this.again) this.ask();
  }

  draw() {
    this.frame = null;
    const pen = this.canvas.getContext("2d");
    const ratio = this.canvas.width / this.width;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { editor, answer, hover } = this;
    const cursor = document.activeElement === this.canvas ? editor.cursor : null;
    const what = { ...this.state.now, answer, hover, chosen: editor.chosen, cursor, regionScale: 0.5, epsilon: this.model.get("epsilon") };
    draw(pen, what, this.palette, this.width, this.height);
  }
}

function copied(points) {
  return points.map((point) => [...point]);
}

function same(points, others) {
  return points.length === others.length && points.every((point, k) => point.every((v, i) => v === others[k][i]));
}

export default {
  render({ model, el }) {
    new Picture(model, el);
  },
};
