// The page: state, picture, panels and connection, put together.

import { Connection, Lost, complain } from "./connection.js";
import { Controls } from "./controls.js";
import { $, calm, make, say, shown } from "./dom.js";
import { Editor } from "./editor.js";
import { Lessons } from "./lessons.js";
import { DARK, LIGHT, shape } from "./palette.js";
import { PointCard } from "./point.js";
import { showProof } from "./proof.js";
import { draw } from "./scene.js";
import { Share } from "./share.js";
import { State, arraysOf, clean, fromFragment, toFragment } from "./state.js";
import { Steps } from "./steps.js";
import { TableDialog } from "./table.js";
import { View, around } from "./view.js";

const QUICK = [96, 96];
const FINE = [190, 190];

class App {
  constructor() {
    this.state = new State();
    this.say = say;
    this.shown = shown;
    this.answer = null;
    this.ghost = null;
    this.cases = null;
    this.failure = null;
    this.canvas = $("#canvas");
    this.editor = new Editor(this, this.canvas);
    this.controls = new Controls(this);
    this.card = new PointCard(this);
    this.steps = new Steps(this);
    this.share = new Share(this);
    this.table = new TableDialog(this);
    this.lessons = new Lessons(this);
    this.settled = calm(160, () => this.refine());
    this.remember = calm(300, () => this.writeFragment());
    this.theme();
    this.wire();
    this.state.listen((changes) => this.changed(changes));
    new ResizeObserver(() => this.resize()).observe($("#stage"));
    this.resize();
    this.connection = new Connection(`ws://${location.host}${location.pathname}socket`, {
      state: (name) => this.connected(name),
      hello: (header, arrays) => this.hello(header, arrays),
      failure: (error) => say(error.message, "bad"),
    });
  }

  // ------------------------------------------------------------------ what is asked

  get methodNow() {
    return this.specification?.methods.find((m) => m.name === this.state.method);
  }

  /** The value of a parameter of the method now. */
  value(name) {
    const said = this.state.params[name];
    return said ?? this.methodNow.controls.find((c) => c.name === name)?.value;
  }

  question(step = this.state.now.step, cells = QUICK) {
    const { points } = this.state.now;
    return [{ method: this.state.method, params: this.state.params, view: this.view.bounds, cells, step }, arraysOf(points)];
  }

  ask(fine = false) {
    if (!this.specification || !this.connection.ready) return;
    const cells = fine || this.methodNow.smooth === false ? (fine ? FINE : [140, 140]) : QUICK;
    const asked = { points: this.state.now.points, method: this.state.method, params: this.state.params, step: this.state.now.step };
    this.busy(true);
    this.connection.fit(
      () => {
        Object.assign(asked, { points: this.state.now.points, method: this.state.method, params: this.state.params, step: this.state.now.step });
        return this.question(this.state.now.step, cells);
      },
      (answer, took) => this.answered(answer, asked, took),
      (error) => this.failed(error, asked),
    );
  }

  answered(answer, asked, took) {
    answer.count = asked.points.length;
    this.busy(false);
    if (asked.method !== this.state.method) return; // the next one is on its way
    this.answer = answer;
    this.asked = this.last = asked;
    this.cases = null;
    this.failure = null;
    this.took = took;
    $("#message").hidden = true;
    document.body.dataset.state = "ready";
    showProof(answer, this.state.now.names);
    this.card.refresh();
    this.steps.update();
    this.drawNow();
    this.lessons.check();
    if (!this.editor.drag) this.settled();
  }

  failed(error, asked) {
    this.busy(false);
    if (error instanceof Lost) return;
    this.last = asked;
    this.failure = error;
    this.answer = null;
    this.cases = null;
    const place = $("#message");
    place.hidden = false;
    place.className = error.kind ?? "fault";
    place.replaceChildren(make("b", {}, { impossible: "Impossible, and proven so", limit: "Too much", fault: "Something went wrong" }[error.kind] ?? "Not yet"), make("span", {}, error.kind === "impossible" ? "The classes are not separable with this kernel, so there is no hard margin. The card of the proof says why." : error.message));
    document.body.dataset.state = error.kind ?? "fault";
    $("#proof").replaceChildren(make("p", { class: "soft" }, error.kind === "impossible" ? error.message : "There is no model, so there is nothing to prove."));
    this.card.refresh();
    this.drawNow();
    this.lessons.check();
  }

  /** When nothing has changed for a moment: a finer picture, and the optimality cases. */
  async refine() {
    const { answer } = this;
    if (!answer || this.editor.drag || this.connection.flight) return;
    if (answer.header.cells[0] < FINE[0] && (answer.arrays.values || answer.arrays.regions)) return this.ask(true);
    const hasCases = ["svc", "linear_svc", "svr", "gradient"].includes(answer.header.method) && this.state.now.step === null;
    if (!hasCases) return;
    try {
      const found = await this.connection.ask("cases");
      if (answer !== this.answer) return;
      this.cases = found;
      if (!answer.arrays.multiplier && found.header.words.length) {
        answer.multipliers = perPoint(found.arrays, answer.count);
        this.redraw();
      }
      this.card.show();
      this.lessons.check();
    } catch {
      // a newer fit is under way, or the loss has no cases
    }
  }

  // ------------------------------------------------------------------ what changes

  changed(changes) {
    const now = this.state.now;
    if ("view" in changes) this.resize(false);
    this.controls.update();
    if ("points" in changes || "params" in changes || "methods" in changes || "task" in changes || "step" in changes) {
      if (this.card.point !== null && this.card.point >= now.points.length) this.card.look(null);
      if (this.editor.chosen !== null && this.editor.chosen >= now.points.length) this.editor.chosen = null;
      this.ask();
      this.redraw();
    } else if ("view" in changes) {
      this.redraw();
      this.viewed ??= calm(120, () => this.ask());
      this.viewed();
    } else if (changes.settled) this.settled();
    this.steps.update();
    this.remember();
    $("#count").textContent = now.points.length === 1 ? "1 point" : `${now.points.length} points`;
    $("#hint").hidden = now.points.length > 0;
  }

  inspect(point, place = null) {
    if (point !== this.card.point) this.redraw();
    this.card.look(point, place);
    this.lessons.check();
  }

  async preset(name) {
    const { header, arrays } = await this.connection.ask("preset", { name, seed: 0 });
    this.take(arrays.points, arrays.labels, {}, name === "iris" ? { axes: ["petal length", "petal width"], classes: ["setosa", "versicolor", "virginica"] } : null);
    say("The example is drawn; undo brings back what was there.");
    return header;
  }

  /** Points from elsewhere: coordinates in pairs, and classes. */
  take(places, labels, also = {}, names = null) {
    const points = Array.from(labels, (label, k) => [places[2 * k], places[2 * k + 1], label]);
    this.editor.chosen = null;
    this.state.change(`take ${performance.now()}`, { ...also, points, step: null, names, source: {} });
    this.state.look({ view: around(points, this.view.width / this.view.height) });
    this.state.settle();
  }

  async hello(header, arrays) {
    const first = !this.specification;
    this.specification = header;
    if (first) {
      document.body.classList.remove("loading");
      let opened = false;
      if (location.hash.length > 1) opened = await this.readFragment();
      this.controls.update();
      if (header.given) this.table.given(header.given, arrays);
      if (!opened) {
        if (header.given) this.table.use();
        else this.take(arrays.points, arrays.labels);
      }
      this.state.past = [];
      window.addEventListener("hashchange", () => location.hash !== this.written && this.readFragment());
    }
    this.controls.update();
    this.ask();
    this.steps.update();
  }

  async readFragment() {
    this.written = location.hash;
    try {
      const said = await fromFragment(location.hash, this.specification.limits);
      clean(said, this.specification);
      this.state.change("link", said);
      this.state.settle();
      this.editor.release();
      this.lessons.restore();
      if (said.step !== null && !this.steps.open) this.steps.toggle();
      return true;
    } catch (error) {
      say(error.message, "bad");
      return false;
    }
  }

  async writeFragment() {
    this.written = await toFragment(this.state.now);
    history.replaceState(null, "", this.written);
  }

  connected(name) {
    document.body.dataset.connection = name;
    const lost = name === "lost";
    $("#lost").hidden = !lost;
  }

  busy(is) {
    $("#stage").classList.toggle("busy", is);
  }

  // ------------------------------------------------------------------ the picture

  theme() {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const said = document.documentElement.dataset.theme;
      const dark = said ? said === "dark" : query.matches;
      this.palette = dark ? DARK : LIGHT;
      $("#theme").setAttribute("aria-pressed", String(dark));
      this.controls.update();
      this.redraw();
      this.steps.draw();
    };
    query.addEventListener("change", apply);
    $("#theme").addEventListener("click", () => {
      document.documentElement.dataset.theme = this.palette === DARK ? "light" : "dark";
      apply();
    });
    apply();
  }

  resize(redraw = true) {
    const box = $("#stage").getBoundingClientRect();
    const [width, height] = [Math.max(50, box.width), Math.max(50, box.height)];
    const changed = !this.view || this.view.width !== width || this.view.height !== height;
    this.view = new View(this.state.now.view, width, height);
    if (changed) {
      this.canvas.width = Math.round(width * devicePixelRatio);
      this.canvas.height = Math.round(height * devicePixelRatio);
      if (redraw && this.specification) {
        this.redraw();
        this.ask();
      }
    }
  }

  /** What `draw` of scene.js needs. */
  scene() {
    const { now } = this.state;
    const focused = document.activeElement === this.canvas;
    return {
      ...now, answer: this.answer, hover: this.card.point, chosen: this.editor.chosen, cursor: focused ? this.editor.cursor : null,
      ghost: this.ghost, regionScale: this.editor.drag ? 0.34 : 0.6, epsilon: this.state.method === "svr" && this.methodNow ? this.value("epsilon") : 0,
    };
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    const pen = this.canvas.getContext("2d");
    const ratio = this.canvas.width / this.view.width;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(pen, this.scene(), this.palette, this.view.width, this.view.height);
    this.drawn = performance.now();
    this.frames = (this.frames ?? 0) + 1;
  }

  icon(kind, colour) {
    const canvas = make("canvas", { width: 44, height: 44 });
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    pen.fillStyle = colour;
    shape(pen, kind, 11, 11, 6.5);
    pen.fill();
    return canvas;
  }

  // ------------------------------------------------------------------ buttons and keys

  wire() {
    const on = (id, call) => $(id).addEventListener("click", call);
    on("#undo", () => this.back("undo"));
    on("#redo", () => this.back("redo"));
    on("#clear", () => this.editor.clear());
    on("#fit-view", () => this.editor.fitView());
    for (const button of document.querySelectorAll("[data-tool]")) button.addEventListener("click", () => this.editor.use(button.dataset.tool));
    for (const tab of document.querySelectorAll("#tasks button")) {
      tab.addEventListener("click", () => this.state.change("task", { task: tab.dataset.task, step: null }));
    }
    $("#method").addEventListener("change", (e) => {
      const methods = { ...this.state.now.methods, [this.state.now.task]: e.target.value };
      this.state.change("method", { methods, step: null });
      this.state.settle();
    });
    $("#preset").addEventListener("change", async (e) => {
      const name = e.target.value;
      e.target.value = "";
      if (name) await this.preset(name).catch(complain);
    });
    on("#help-open", () => $("#help").showModal());
    for (const dialog of document.querySelectorAll("dialog")) {
      const beside = (e) => {
        const box = dialog.getBoundingClientRect();
        return e.target === dialog && (e.clientX < box.left || e.clientX > box.right || e.clientY < box.top || e.clientY > box.bottom);
      };
      dialog.addEventListener("pointerdown", (e) => beside(e) && dialog.close());
      dialog.querySelector(".close")?.addEventListener("click", () => dialog.close());
    }
    document.addEventListener("keydown", (e) => this.key(e));
    // on small screens the classes and the lesson are where the picture is
    const narrow = matchMedia("(max-width: 720px)");
    const below = matchMedia("(max-width: 1080px)");
    const place = () => {
      if (narrow.matches) $("#tools").after($("#classes"));
      else $("#points").append($("#classes"));
      if (below.matches) $("#middle").prepend($("#lesson"));
      else $("#right").prepend($("#lesson"));
    };
    for (const query of [narrow, below]) query.addEventListener("change", place);
    place();
  }

  /** Undo or redo; a point that is being dragged is let go. */
  back(way) {
    this.editor.drag = null;
    this.state[way]();
  }

  key(event) {
    const dialog = document.querySelector("dialog[open]");
    const text = event.target.matches("input:not([type=range]), textarea");
    const typing = dialog || text || event.target.matches("select");
    const { key } = event;
    if ((event.ctrlKey || event.metaKey) && !dialog && !text) {
      const low = key.toLowerCase();
      if (low === "z") this.back(event.shiftKey ? "redo" : "undo");
      else if (low === "y") this.back("redo");
      else return;
      event.preventDefault();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "[") this.steps.by(-1);
    else if (key === "]") this.steps.by(1);
    else if (key === "?") $("#help").showModal();
    else if (!this.editor.shortcut(key)) return;
    event.preventDefault();
  }
}

/** The largest multiplier of each point in any of its problems. */
function perPoint({ sample, multiplier }, count) {
  const largest = new Float64Array(count);
  sample.forEach((k, i) => (largest[k] = Math.max(largest[k], multiplier[i])));
  return largest;
}

globalThis.playground = new App();
