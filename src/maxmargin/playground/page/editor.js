// Drawing with mouse, pen, fingers and keys.

import { around, within } from "./view.js";

const NEAR = 13; // pixels within which a point is meant
const SPRAY = 24;

export class Editor {
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    this.tool = "draw";
    this.label = 0;
    this.cursor = null;
    this.chosen = null;
    this.drag = null;
    this.touches = new Map();
    const on = (name, call, options) => canvas.addEventListener(name, call.bind(this), options);
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.up);
    on("pointerleave", () => !this.drag && this.app.inspect(this.chosen)); // a finger that is lifted leaves as well
    on("contextmenu", (event) => event.preventDefault());
    on("wheel", this.wheel, { passive: false });
    on("keydown", this.key);
    on("focus", () => app.redraw());
    on("blur", () => {
      this.cursor = null;
      app.redraw();
    });
  }

  get view() {
    return this.app.view;
  }

  get points() {
    return this.app.state.now.points;
  }

  choose(label) {
    if (label >= this.app.specification.limits.classes) return;
    this.label = label;
    if (this.app.state.now.task === "classes" && this.chosen !== null && this.points[this.chosen]) this.replace(this.chosen, (p) => [p[0], p[1], label], `class ${this.chosen}`);
    this.app.controls.update();
  }

  use(tool) {
    this.tool = tool;
    this.canvas.dataset.tool = tool;
    this.app.controls.update();
  }

  where(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The nearest point, or null if none is near. */
  at(px, py, near = NEAR) {
    let best = null;
    let closest = near * near;
    this.points.forEach(([x, y], k) => {
      const square = (this.view.x(x) - px) ** 2 + (this.view.y(y) - py) ** 2;
      if (square <= closest) [best, closest] = [k, square];
    });
    return best;
  }

  down(event) {
    this.cursor = null;
    const [px, py] = this.where(event);
    this.touches.set(event.pointerId, [px, py]);
    this.canvas.setPointerCapture(event.pointerId);
    if (this.touches.size === 2) {
      if (this.drag?.added) this.app.state.undo();
      this.drag = { kind: "pinch" };
      return;
    }
    if (this.touches.size > 2) return;
    const near = this.at(px, py, event.pointerType === "touch" ? 22 : NEAR);
    if (event.button === 2 || this.tool === "erase") {
      this.drag = { kind: "erase", name: `erase ${performance.now()}` };
      if (near !== null) this.erase(near);
    } else if (event.button === 1 || (event.shiftKey && near === null)) {
      this.drag = { kind: "pan", from: [px, py] };
    } else if (this.tool === "brush") {
      this.drag = { kind: "brush", name: `brush ${performance.now()}`, last: null };
      this.spray(px, py);
    } else if (near !== null) {
      this.chosen = near;
      this.drag = { kind: "move", point: near, name: `move ${performance.now()}` };
      this.app.inspect(near);
    } else {
      const added = this.add(px, py);
      this.drag = added ? { kind: "move", point: this.points.length - 1, name: this.app.state.open, added: true } : null;
      this.chosen = null; // a number pressed next is the class of the next point
    }
    this.app.redraw();
  }

  move(event) {
    const [px, py] = this.where(event);
    const { drag } = this;
    if (!drag) {
      const near = this.at(px, py);
      this.canvas.style.cursor = this.tool === "erase" ? "cell" : near !== null && this.tool === "draw" ? "grab" : "crosshair";
      this.app.inspect(near, this.view.place(px, py));
      return;
    }
    const before = this.touches.get(event.pointerId);
    if (drag.kind === "pinch") this.pinch(event.pointerId, px, py);
    if (before) this.touches.set(event.pointerId, [px, py]);
    if (drag.kind === "pan") {
      const [cx, cy, half] = this.app.state.now.view;
      this.look([cx - (px - drag.from[0]) / this.view.scale, cy + (py - drag.from[1]) / this.view.scale, half]);
      drag.from = [px, py];
    } else if (drag.kind === "move") this.points[drag.point] && this.moveTo(drag.point, px, py, drag.name);
    else if (drag.kind === "brush") this.spray(px, py);
    else if (drag.kind === "erase") {
      const near = this.at(px, py);
      if (near !== null) this.erase(near);
    }
  }

  up(event) {
    this.touches.delete(event.pointerId);
    if (this.touches.size) return;
    const was = this.drag;
    this.drag = null;
    if (was) this.app.state.settle();
  }

  pinch(id, px, py) {
    const other = [...this.touches].find(([key]) => key !== id)?.[1];
    const old = this.touches.get(id);
    if (!other || !old) return;
    const length = (a, b) => Math.max(20, Math.hypot(a[0] - b[0], a[1] - b[1]));
    const [mx, my] = [(other[0] + px) / 2, (other[1] + py) / 2];
    const [cx, cy, half] = this.app.state.now.view;
    this.look([cx - (px - old[0]) / 2 / this.view.scale, cy + (py - old[1]) / 2 / this.view.scale, half]);
    this.zoom(mx, my, length(old, other) / length([px, py], other));
  }

  wheel(event) {
    event.preventDefault();
    this.zoom(...this.where(event), Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004));
  }

  zoom(px, py, factor) {
    const [cx, cy, half] = this.app.state.now.view;
    const next = within([cx, cy, half * factor])[2];
    const [x, y] = this.view.place(px, py);
    const t = next / half;
    this.look([x + (cx - x) * t, y + (cy - y) * t, next]);
  }

  look(view) {
    this.app.state.look({ view: within(view) });
  }

  fitView() {
    this.app.state.look({ view: around(this.points, this.view.width / this.view.height) });
  }

  place(px, py) {
    return this.view.place(px, py).map((v) => this.view.round(v));
  }

  add(px, py) {
    const { state, specification } = this.app;
    if (this.points.length >= specification.limits.points) {
      this.app.say(`There can be up to ${specification.limits.points} points.`, "bad");
      return false;
    }
    state.change(`add ${performance.now()}`, { points: [...this.points, [...this.place(px, py), this.labelNow]], step: null });
    return true;
  }

  get labelNow() {
    return this.app.state.now.task === "classes" ? this.label : 0;
  }

  spray(px, py) {
    const { drag } = this;
    if (drag.last && Math.hypot(px - drag.last[0], py - drag.last[1]) < SPRAY * 0.45) return;
    drag.last = [px, py];
    const room = Math.min(2, this.app.specification.limits.points - this.points.length);
    const fresh = Array.from({ length: Math.max(0, room) }, () => {
      const [r, turn] = [SPRAY * Math.sqrt(Math.random()), 2 * Math.PI * Math.random()];
      return [...this.place(px + r * Math.cos(turn), py + r * Math.sin(turn)), this.labelNow];
    });
    if (fresh.length) this.app.state.change(drag.name, { points: [...this.points, ...fresh], step: null });
  }

  erase(k) {
    this.chosen = null;
    this.app.inspect(null);
    this.app.state.change(this.drag?.name ?? `erase ${performance.now()}`, { points: this.points.filter((_, i) => i !== k), step: null });
  }

  moveTo(k, px, py, name) {
    this.replace(k, (p) => [...this.place(px, py), p[2]], name);
  }

  replace(k, change, name) {
    const points = this.points.slice();
    points[k] = change(points[k]);
    this.app.state.change(name, { points, step: null });
  }

  clear() {
    this.chosen = null;
    this.app.state.change(`clear ${performance.now()}`, { points: [], step: null, names: null });
  }

  // ------------------------------------------------------------------ keys

  key(event) {
    if (event.ctrlKey || event.metaKey) return;
    const step = (event.shiftKey ? 1 : 10) / this.view.scale;
    const ways = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    const { key } = event;
    if (ways[key]) this.steer(ways[key], event.altKey);
    else if (key === "Enter" || key === " ") this.put();
    else if (key === "Delete" || key === "Backspace") this.eraseHere();
    else if (key === "n" || key === "p") this.next(key === "n" ? 1 : -1);
    else if (key === "Escape") this.release();
    else return;
    event.preventDefault();
  }

  /** What a key does anywhere on the page; false if it does nothing. */
  shortcut(key) {
    const tools = { d: "draw", b: "brush", e: "erase" };
    if (tools[key]) this.use(tools[key]);
    else if (key >= "1" && key <= "6") this.choose(Number(key) - 1);
    else if (key === "0") this.fitView();
    else if (key === "+" || key === "=") this.zoom(this.view.width / 2, this.view.height / 2, 0.8);
    else if (key === "-") this.zoom(this.view.width / 2, this.view.height / 2, 1.25);
    else return false;
    return true;
  }

  /** Move the cross, or, with Alt, the chosen point. */
  steer([dx, dy], carry) {
    const at = this.chosen !== null ? this.points[this.chosen] : null;
    if (carry) {
      if (!at) return this.app.say("No point is chosen: n and p choose one.");
      const to = [this.view.round(at[0] + dx), this.view.round(at[1] + dy), at[2]];
      this.replace(this.chosen, () => to, `steer ${this.chosen}`);
      this.cursor = [to[0], to[1]];
    } else {
      const from = this.cursor ?? [this.view.cx, this.view.cy];
      this.cursor = [from[0] + dx, from[1] + dy];
      const near = this.at(this.view.x(this.cursor[0]), this.view.y(this.cursor[1]));
      this.app.inspect(near, this.cursor);
    }
    this.follow();
    this.app.redraw();
  }

  /** Move the picture so far that the cross is in it. */
  follow() {
    const { left, right, bottom, top, cx, cy, half, scale } = this.view;
    const [x, y] = this.cursor;
    const edge = 24 / scale;
    const beyond = (v, low, high) => Math.min(0, v - low - edge) + Math.max(0, v - high + edge);
    const [dx, dy] = [beyond(x, left, right), beyond(y, bottom, top)];
    if (dx || dy) this.look([cx + dx, cy + dy, half]);
  }

  put() {
    this.cursor ??= [this.view.cx, this.view.cy];
    const [px, py] = [this.view.x(this.cursor[0]), this.view.y(this.cursor[1])];
    const near = this.at(px, py, this.tool === "erase" ? NEAR : 6);
    if (this.tool === "erase") {
      if (near !== null) this.erase(near);
      this.app.state.settle();
    } else if (this.tool === "brush") {
      this.drag = { kind: "brush", name: `brush ${performance.now()}`, last: null };
      this.spray(px, py);
      this.drag = null;
      this.app.state.settle();
    } else if (near !== null) {
      this.chosen = near;
      this.app.say("Point chosen: Alt with the arrows moves it, Delete deletes it, a number changes its class.");
    } else if (this.add(px, py)) this.app.state.settle();
    this.app.redraw();
  }

  eraseHere() {
    const near = this.cursor ? this.at(this.view.x(this.cursor[0]), this.view.y(this.cursor[1])) : null;
    const k = this.chosen ?? near;
    if (k === null || !this.points[k]) return;
    this.drag = null;
    this.erase(k);
    this.app.state.settle();
  }

  next(way) {
    const n = this.points.length;
    if (!n) return;
    this.chosen = this.chosen === null ? (way > 0 ? 0 : n - 1) : (this.chosen + way + n) % n;
    const [x, y] = this.points[this.chosen];
    this.cursor = [x, y];
    this.app.inspect(this.chosen);
    this.follow();
    this.app.redraw();
  }

  release() {
    this.chosen = null;
    this.cursor = null;
    this.app.inspect(null);
    this.app.redraw();
  }
}
