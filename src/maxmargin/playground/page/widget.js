// The picture in a notebook: points are drawn and dragged, the kernel answers with the model.

import { unpack } from "./frames.js";
import { DARK, LIGHT, NAMES, shape } from "./palette.js";
import { draw } from "./scene.js";
import { arraysOf } from "./state.js";
import { View } from "./view.js";

const NEAR = 13;
const CELLS = [120, 90];

class Picture {
  constructor(model, el) {
    this.model = model;
    this.palette = matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
    this.label = 0;
    this.answer = null;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "Click adds a point, dragging moves it, the right button deletes it; 1 to 6 choose the class.");
    this.words = document.createElement("output");
    const row = document.createElement("div");
    row.append(...this.buttons(), this.words);
    Object.assign(row.style, { display: "flex", gap: "6px", alignItems: "center", font: "13px system-ui, sans-serif", marginTop: "6px", flexWrap: "wrap" });
    const { width, height } = { width: model.get("width"), height: model.get("height") };
    Object.assign(this.canvas, { width: width * devicePixelRatio, height: height * devicePixelRatio });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px`, maxWidth: "100%", touchAction: "none", cursor: "crosshair", borderRadius: "8px" });
    el.append(this.canvas, row);
    this.width = width;
    this.height = height;
    this.listen();
    this.read();
    this.ask();
  }

  get view() {
    return new View(this.model.get("view"), this.width, this.height);
  }

  buttons() {
    return Array.from({ length: this.model.get("classes") }, (_, k) => {
      const button = document.createElement("button");
      const icon = document.createElement("canvas");
      icon.width = icon.height = 22;
      const pen = icon.getContext("2d");
      pen.fillStyle = this.palette.classes[k];
      shape(pen, k, 11, 11, 7);
      pen.fill();
      button.append(icon);
      button.setAttribute("aria-label", `Draw class ${k}, ${NAMES[k]}`);
      button.onclick = () => (this.label = k);
      return button;
    });
  }

  listen() {
    const at = (e) => {
      const box = this.canvas.getBoundingClientRect();
      return [((e.clientX - box.left) * this.width) / box.width, ((e.clientY - box.top) * this.height) / box.height];
    };
    const place = (px, py) => this.view.place(px, py).map((v) => this.view.round(v));
    this.canvas.onpointerdown = (e) => {
      const [px, py] = at(e);
      this.canvas.setPointerCapture(e.pointerId);
      const near = this.near(px, py);
      if (e.button === 2) {
        if (near !== null) this.points = this.points.filter((_, k) => k !== near);
        return this.changed();
      }
      if (near === null) this.points = [...this.points, [...place(px, py), this.label]];
      this.held = near ?? this.points.length - 1;
      this.changed();
    };
    this.canvas.onpointermove = (e) => {
      if (this.held === null || this.held === undefined) return;
      const label = this.points[this.held][2];
      this.points = this.points.map((p, k) => (k === this.held ? [...place(...at(e)), label] : p));
      this.changed();
    };
    this.canvas.onpointerup = () => (this.held = null);
    this.canvas.oncontextmenu = (e) => e.preventDefault();
    this.canvas.onkeydown = (e) => {
      if (e.key >= "1" && e.key <= String(this.model.get("classes"))) this.label = Number(e.key) - 1;
    };
    this.model.on("msg:custom", (header, buffers) => this.take(header, buffers));
    this.model.on("change:revision", () => {
      this.read();
      this.ask();
    });
  }

  near(px, py) {
    let [best, closest] = [null, NEAR * NEAR];
    this.points.forEach(([x, y], k) => {
      const square = (this.view.x(x) - px) ** 2 + (this.view.y(y) - py) ** 2;
      if (square <= closest) [best, closest] = [k, square];
    });
    return best;
  }

  read() {
    this.points = this.model.get("drawn").map((p) => [...p]);
  }

  changed() {
    this.model.set("drawn", this.points);
    this.model.save_changes();
    this.draw();
    this.ask();
  }

  /** One question is under way at a time, and after it the newest. */
  ask() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.asked = this.points.length;
    const { points, labels } = arraysOf(this.points);
    const header = { kind: "fit", view: this.view.bounds, cells: CELLS };
    this.model.send({ ...header, count: this.points.length }, undefined, [points[0].buffer, labels[0].buffer]);
  }

  take(header, buffers) {
    this.busy = false;
    const data = buffers[0];
    const { header: said, arrays } = unpack(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
    this.answer = said.error ? null : { header: said, arrays, count: this.asked };
    this.words.textContent = said.error ? said.error.message : said.words;
    this.draw();
    if (this.again) {
      this.again = false;
      this.ask();
    }
  }

  draw() {
    const pen = this.canvas.getContext("2d");
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const what = { view: this.model.get("view"), points: this.points, task: this.model.get("task"), answer: this.answer, regionScale: 0.5, hover: null, chosen: this.held ?? null, epsilon: this.model.get("epsilon") };
    draw(pen, what, this.palette, this.width, this.height);
  }
}

export default {
  render({ model, el }) {
    new Picture(model, el);
  },
};
