// The course of a fit, step by step: a scrubber, and curves that close upon the optimum.

import { $, make, shown } from "./dom.js";
import { Dropped, Lost } from "./connection.js";

const TITLES = {
  primal: "primal", dual: "dual", gap: "relative gap", mistakes: "mistakes", inertia: "inertia", error: "training error",
  weighted_error: "error of the learner", exponential_loss: "exponential loss",
};
const SHOWN = ["primal", "dual", "mistakes", "inertia", "error", "exponential_loss", "training error", "squared error"];

export class Steps {
  constructor(app) {
    this.app = app;
    this.course = null;
    this.key = null;
    this.playing = null;
    $("#steps-open").addEventListener("click", () => this.toggle());
    $("#scrub").addEventListener("input", (e) => this.go(Number(e.target.value)));
    $("#step-first").addEventListener("click", () => this.go(0));
    $("#step-back").addEventListener("click", () => this.by(-1));
    $("#step-on").addEventListener("click", () => this.by(1));
    $("#step-last").addEventListener("click", () => this.go(Infinity));
    $("#step-play").addEventListener("click", () => this.play());
    new ResizeObserver(() => this.draw()).observe($("#curves"));
  }

  get open() {
    return !$("#course").hidden;
  }

  toggle() {
    $("#course").hidden = this.open;
    $("#steps-open").setAttribute("aria-expanded", String(this.open));
    if (this.open) this.load();
    else {
      this.stop();
      this.app.state.look({ step: null });
    }
  }

  /** Whether the course is that of what is drawn now. */
  update() {
    const { app } = this;
    const unit = app.methodNow?.steps;
    $("#steps").hidden = !unit;
    if (!unit && this.open) this.toggle();
    if (!this.open || !unit) return;
    const { points, task } = app.state.now;
    if (this.key && this.key.points === points && this.key.params === app.state.params && this.key.method === app.state.method && this.key.task === task) {
      this.mark();
      return;
    }
    if (!app.editor.drag) this.load();
  }

  async load() {
    const { app } = this;
    const { points, task } = app.state.now;
    this.key = { points, params: app.state.params, method: app.state.method, task };
    this.course = null; // the curves stay, dimmed, without their numbers
    $("#course").classList.add("busy");
    $("#legend").replaceChildren();
    $("#step-name").textContent = "…";
    const { key } = this;
    try {
      const [header, arrays] = app.question(null);
      const { header: said, arrays: found } = await app.connection.ask("course", header, arrays);
      if (key !== this.key) return;
      this.course = { ...said, arrays: found, steps: found.steps };
      $("#steps-message").textContent = "";
    } catch (error) {
      if (error instanceof Dropped || error instanceof Lost) {
        if (key === this.key) this.key = null;
        return;
      }
      if (key !== this.key) return;
      $("#steps-message").textContent = error.message;
    } finally {
      if (key === this.key || this.key === null) $("#course").classList.remove("busy");
    }
    this.mark();
    this.app.lessons.check();
  }

  get place() {
    const { step } = this.app.state.now;
    if (!this.course) return 0;
    const { steps } = this.course;
    if (step === null) return steps.length - 1;
    let k = 0;
    while (k + 1 < steps.length && steps[k + 1] <= step) k++;
    return k;
  }

  go(place) {
    if (!this.course) return;
    const { steps } = this.course;
    const k = Math.min(steps.length - 1, Math.max(0, place));
    this.app.state.look({ step: k === steps.length - 1 ? null : steps[k] });
  }

  by(way) {
    this.stop();
    if (!this.open) this.toggle();
    else this.go(this.place + way);
  }

  play() {
    if (this.playing) return this.stop();
    if (this.place === (this.course?.steps.length ?? 0) - 1) this.go(0);
    $("#step-play").classList.add("playing");
    $("#step-play").setAttribute("aria-label", "Pause");
    this.playing = setInterval(() => {
      if (!this.course || this.place >= this.course.steps.length - 1) return this.stop();
      const n = this.course.steps.length;
      this.go(this.place + Math.max(1, Math.round(n / 120)));
    }, 90);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = null;
    $("#step-play").classList.remove("playing");
    $("#step-play").setAttribute("aria-label", "Play");
  }

  mark() {
    const { course } = this;
    for (const id of ["scrub", "step-first", "step-back", "step-on", "step-last", "step-play"]) $(`#${id}`).disabled = !course;
    if (course) {
      const slider = $("#scrub");
      slider.max = course.steps.length - 1;
      slider.value = this.place;
      const number = course.steps[this.place];
      $("#step-name").textContent = `${course.unit} ${number} of ${course.last}`;
      slider.setAttribute("aria-valuetext", $("#step-name").textContent);
    } else $("#step-name").textContent = "";
    this.draw();
  }

  /** What the curves are, and why the end may say another number of steps. */
  about() {
    const { course, app } = this;
    if (!course) return "";
    const parts = [];
    if (course.problem) parts.push(`The curves are those of the longest of several problems, ${problemName(course.problem, app.state.now.names)}.`);
    if (course.curves.includes("dual")) parts.push("They are the solver's own figures; the proof is recomputed from the model.");
    const proof = app.answer?.header.certificate;
    const whole = app.answer?.header.step === null && !course.problem && proof?.type === "gap" ? proof.iterations : course.last;
    if (whole !== course.last) parts.push(`At the end the model is that of the fastest solver, which took ${whole} steps.`);
    return parts.join(" ");
  }

  draw() {
    const canvas = $("#curves");
    const { course, app } = this;
    const box = canvas.getBoundingClientRect();
    if (!box.width) return;
    const ratio = devicePixelRatio;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.clearRect(0, 0, box.width, box.height);
    if (course) drawCurves(pen, course, this.place, app.palette, box.width, box.height);
    if (course) $("#legend").replaceChildren(...legend(course, this.place, app.palette));
    else $("#legend").replaceChildren();
    $("#steps-about").textContent = this.about();
  }
}

/** The name of a binary problem with those of its classes, where these have any. */
export function problemName(label, names) {
  const named = /^(\d) against (\d|the rest)$/.exec(label);
  if (!named || !names?.classes) return label;
  return `${names.classes[named[1]] ?? named[1]} against ${names.classes[named[2]] ?? named[2]}`;
}

function lines(course) {
  return SHOWN.filter((name) => course.curves.includes(name)).map((name) => [name, course.arrays[`curve ${name}`]]);
}

function legend(course, place, palette) {
  return lines(course).map(([name, values], k) => {
    const swatch = make("i");
    swatch.style.background = palette.classes[k];
    return make("span", {}, swatch, `${TITLES[name] ?? name} `, make("b", { "data-figure": `step ${name}` }, shown(values[place], 5)));
  });
}

function drawCurves(pen, course, place, palette, width, height) {
  const all = lines(course).map(([, values]) => [...values]);
  const finite = all.flat().filter(Number.isFinite);
  if (!finite.length) return;
  const [pad, foot] = [8, 16];
  let [low, high] = [Math.min(...finite), Math.max(...finite)];
  const log = low > 0 && high / low > 8;
  const scale = (v) => (log ? Math.log(Math.max(v, low)) : v);
  [low, high] = [scale(low), scale(high)];
  if (high === low) [low, high] = [low - 1, high + 1];
  const n = course.steps.length;
  const x = (k) => pad + (n > 1 ? k / (n - 1) : 0.5) * (width - 2 * pad);
  const y = (v) => pad + (1 - (scale(v) - low) / (high - low)) * (height - pad - foot);
  pen.fillStyle = palette.grid;
  pen.fillRect(x(place) - 1, 0, 2, height - foot);
  if (all.length > 1 && course.curves.includes("dual")) {
    pen.globalAlpha = 0.12;
    pen.fillStyle = palette.classes[0];
    pen.beginPath();
    all[0].forEach((v, k) => pen.lineTo(x(k), y(v)));
    for (let k = n - 1; k >= 0; k--) pen.lineTo(x(k), y(all[1][k]));
    pen.fill();
    pen.globalAlpha = 1;
  }
  all.forEach((values, c) => {
    pen.strokeStyle = palette.classes[c];
    pen.lineWidth = 1.8;
    pen.beginPath();
    values.forEach((v, k) => Number.isFinite(v) && pen.lineTo(x(k), y(v)));
    pen.stroke();
    if (Number.isFinite(values[place])) {
      pen.fillStyle = palette.classes[c];
      pen.beginPath();
      pen.arc(x(place), y(values[place]), 3.5, 0, 7);
      pen.fill();
    }
  });
  pen.fillStyle = palette.soft;
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText(`${course.unit} ${course.steps[0]}`, pad, height - 3);
  pen.textAlign = "right";
  pen.fillText(String(course.last), width - pad, height - 3);
  if (log) {
    pen.textAlign = "center";
    pen.fillText("logarithmic height", width / 2, height - 3);
  }
}
