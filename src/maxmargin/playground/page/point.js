// A point that is looked at: its multiplier, slack, margin and case, the formula with its numbers, and what it holds up.

import { $, calm, make, shown } from "./dom.js";
import { problemName } from "./steps.js";

const MINUS = "−";
const VISIBLE = 1e-3; // of f, below which no line is drawn for what a point holds up

export class PointCard {
  constructor(app) {
    this.app = app;
    this.point = null;
    this.askWithout = calm(140, () => this.without());
    this.askProbe = calm(60, () => this.probe());
  }

  look(point, place) {
    this.place = place;
    if (point !== this.point) {
      this.point = point;
      this.app.ghost = null;
      this.found = null;
      this.show();
      if (point !== null) this.askWithout();
    }
    if (point === null && place) this.askProbe();
  }

  /** After a new answer. */
  refresh() {
    this.app.ghost = null;
    this.found = null;
    this.show();
    if (this.point !== null && !this.app.editor.drag) this.askWithout();
  }

  show() {
    const place = $("#point");
    const { state } = this.app;
    const k = this.point;
    const point = k === null ? null : state.now.points[k];
    if (!point || !this.current()) {
      place.replaceChildren(make("p", { class: "soft" }, "Hover over a point or tap it, or press n in the picture, to see its multiplier, its margin and its case."));
      return;
    }
    const head = make("div", { class: "verdict" }, make("b", {}, `Point ${k}`), make("span", { class: "soft" }, `(${shown(point[0], 4)}, ${shown(point[1], 4)})`));
    place.replaceChildren(head, ...this.body(k), this.moves());
  }

  /** Whether the answer is one about these points, by the method that is chosen now. */
  current() {
    const { answer, state } = this.app;
    return Boolean(answer) && answer.count === state.now.points.length && answer.header.method === state.method;
  }

  body(k) {
    const { answer, cases } = this.app;
    const own = cases ? entries(cases, k) : [];
    if (own.length) return own.map((entry) => this.entry(entry, cases.header, k));
    const { margin, multiplier, slack } = answer.arrays;
    if (margin) return [this.entry({ margin: margin[k], multiplier: multiplier?.[k], slack: slack[k], case: null, problem: 0 }, { problems: [""] }, k)];
    return [this.plain(k)];
  }

  entry({ margin, multiplier, slack, case: kase, problem }, { words, problems }, k) {
    const curve = this.app.state.now.task === "curve";
    const lines = curve ? this.tube(k, slack) : this.margin(k, margin, slack);
    const C = this.app.value("C");
    const bounded = (this.app.value("loss") ?? "hinge") === "hinge"; // by C
    const at = bounded && multiplier > 0 && C !== "inf" ? (multiplier === C ? "= C" : multiplier < C ? "< C" : "") : "";
    const rows = [make("div", { class: "formula" }, ...lines), make("dl", { class: "figures" },
      multiplier === undefined ? null : pair("multiplier α", multiplier, at), pair("slack ξ", slack), pair("margin z", margin), kase === null ? null : word("case", words[kase]))];
    return make("div", { class: "entry" }, problems.length > 1 ? make("p", { class: "soft small" }, problemName(problems[problem], this.app.state.now.names)) : null, ...rows);
  }

  margin(k, margin, slack) {
    const { answer } = this.app;
    const several = answer.header.classes?.length > 2;
    const f = several ? null : answer.arrays.f?.[k];
    const z = several || f === undefined ? `z = y f(x) = ${shown(margin)}` : this.signed(k, f);
    return [make("p", {}, z), make("p", {}, `ξ = max(0, 1 ${MINUS} z) = max(0, 1 ${MINUS} ${bracket(margin)}) = ${shown(slack)}`)];
  }

  /** The margin of a point of two classes, with its numbers. */
  signed(k, f) {
    const { answer, state } = this.app;
    const own = state.now.points[k][2] === answer.header.classes[1];
    return `z = y f(x) = ${own ? "+1" : `${MINUS}1`} · ${bracket(f)} = ${shown(own ? f : -f)}`;
  }

  tube(k, slack) {
    const { answer, state } = this.app;
    const y = state.now.points[k][1];
    const f = answer.arrays.f[k];
    const epsilon = this.app.value("epsilon");
    return [
      make("p", {}, `r = y ${MINUS} f(x) = ${shown(y)} ${MINUS} ${bracket(f)} = ${shown(y - f)}`),
      make("p", {}, `ξ = max(0, |r| ${MINUS} ε) = max(0, ${shown(Math.abs(y - f))} ${MINUS} ${shown(epsilon, 4)}) = ${shown(slack)}`),
    ];
  }

  plain(k) {
    const { answer, state } = this.app;
    const { arrays, header } = answer;
    const list = [];
    if (state.now.task === "curve") {
      const y = state.now.points[k][1];
      return make("div", { class: "formula" }, make("p", {}, `r = y ${MINUS} f(x) = ${shown(y)} ${MINUS} ${bracket(arrays.f[k])} = ${shown(y - arrays.f[k])}`));
    }
    if (state.now.task === "clusters") list.push(word("cluster", String(arrays.predicted[k])));
    else list.push(word("class", this.name(state.now.points[k][2])), word("predicted", this.name(arrays.predicted[k])));
    if (arrays.f && header.classes) {
      const f = [...arrays.f.subarray(k * arrays.f.shape[1], (k + 1) * arrays.f.shape[1])];
      f.forEach((v, c) => list.push(pair(f.length > 1 ? `f of ${this.name(header.classes[c])}` : "f(x)", v)));
    }
    const share = arrays.f ? "probability" : "share";
    if (arrays.shares) header.classes.forEach((c, i) => list.push(pair(`${share} of ${this.name(c)}`, arrays.shares[k * arrays.shares.shape[1] + i])));
    if (header.pieces.prototypes) list.push(word("kept as a prototype", header.pieces.prototypes.includes(k) ? "yes" : "no"));
    const figures = make("dl", { class: "figures" }, ...list);
    if (!arrays.f || header.classes?.length !== 2) return figures;
    const lines = [make("p", {}, this.signed(k, arrays.f[k]))];
    if (arrays.shares) lines.push(make("p", {}, `p = 1 / (1 + exp(${MINUS}f(x))) = 1 / (1 + exp(${shown(-arrays.f[k])})) = ${shown(arrays.shares[2 * k + 1])}`));
    return make("div", { class: "entry" }, make("div", { class: "formula" }, ...lines), figures);
  }

  name(label) {
    return this.app.state.now.names?.classes?.[label] ?? `class ${label}`;
  }

  moves() {
    if (!this.found) return make("p", { class: "soft small moves" }, "");
    const { header } = this.found;
    if (header.error) return make("p", { class: "soft small moves" }, header.error);
    return make("p", { class: "small moves" }, this.change(header));
  }

  /** What a fit without the point changes, in a sentence. */
  change({ moves, changed, relabelled, centres_move: way }) {
    if (moves !== undefined) {
      const thing = this.app.state.now.task === "curve" ? "curve" : "boundary";
      const by = `f changes by up to ${shown(moves, 3)} in this picture`;
      return moves < VISIBLE ? `Without it, nothing moves visibly: ${by}.` : `Without it, the ${thing} would be the dotted line: ${by}.`;
    }
    if (changed !== undefined) return changed ? `Without it, ${shown(100 * changed, 3)} % of the picture changes class.` : "Without it, no place in the picture changes class.";
    if (relabelled === undefined) return "";
    const others = ["no other point changes its cluster", "one other point changes its cluster"][relabelled] ?? `${relabelled} other points change their clusters`;
    return `Without it, ${others}${way === undefined ? "" : `, and the centres move by up to ${shown(way, 3)}`}.`;
  }

  async without() {
    const { app } = this;
    const k = this.point;
    if (k === null || !this.current() || app.editor.drag || app.state.now.step !== null) return;
    try {
      const found = await app.connection.ask("without", { point: k });
      if (k !== this.point) return;
      this.found = found;
      app.ghost = found.header.moves < VISIBLE ? null : found;
    } catch (error) {
      if (error.kind === "input" || error.kind === "impossible") this.found = { header: { error: `Without it: ${error.message}` }, arrays: {} };
      else return;
    }
    this.show();
    app.redraw();
  }

  async probe() {
    const { app } = this;
    const { place } = this;
    if (this.point !== null || !place || !this.current() || app.editor.drag) return;
    try {
      const { header } = await app.connection.ask("probe", { place });
      if (this.point !== null) return;
      const parts = [`(${shown(place[0], 4)}, ${shown(place[1], 4)})`];
      if (typeof header.f === "number") parts.push(`f(x) = ${shown(header.f)}`);
      else if (header.f?.length === 1) parts.push(`f(x) = ${shown(header.f[0])}`);
      else if (header.predicted !== undefined) parts.push(app.state.now.task === "clusters" ? `cluster ${header.predicted}` : this.name(header.predicted));
      $("#probe").textContent = parts.join("   ");
    } catch {
      $("#probe").textContent = "";
    }
  }
}

function entries({ arrays, header }, k) {
  const found = [];
  const { sample, problem, margin, multiplier, slack } = arrays;
  if (!sample) return found;
  for (let i = 0; i < sample.length; i++) {
    if (sample[i] === k) found.push({ problem: problem[i], margin: margin[i], multiplier: multiplier[i], slack: slack[i], case: arrays.case[i] });
  }
  return header.words.length ? found : [];
}

function bracket(value) {
  return value < 0 ? `(${shown(value)})` : shown(value);
}

function pair(name, value, extra = "") {
  return make("div", { class: "figure" }, make("dt", {}, name), make("dd", { "data-figure": name, "data-value": String(value) }, shown(value), extra ? make("span", { class: "soft" }, ` ${extra}`) : null));
}

function word(name, value) {
  return make("div", { class: "figure" }, make("dt", {}, name), make("dd", { "data-figure": name }, value));
}
