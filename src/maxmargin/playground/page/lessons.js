// The card of the lesson that is open, and the list of all.

import { complain } from "./connection.js";
import { $, make } from "./dom.js";
import { LESSONS } from "./lesson_list.js";

export class Lessons {
  constructor(app) {
    this.app = app;
    this.solved = new Set();
    this.memo = {};
    $("#lessons-open").addEventListener("click", () => this.list());
  }

  list() {
    const rows = LESSONS.map((lesson, k) =>
      make("li", {}, make("button", { type: "button", onclick: () => this.begin(k) }, make("span", { class: "soft" }, String(k + 1)), lesson.title, make("span", { class: "tick" }, this.solved.has(k) ? "✓ done" : ""))),
    );
    $("#lesson-items").replaceChildren(...rows);
    if (!$("#lesson-list").open) $("#lesson-list").showModal();
  }

  /** Open a lesson with its points, method and parameters. */
  async begin(k) {
    const { app } = this;
    const { start } = LESSONS[k];
    $("#lesson-list").close();
    try {
      const { arrays } = await app.connection.ask("preset", { name: start.preset, seed: 0 });
      const { now } = app.state;
      const params = { ...now.params, ...start.other, [start.method]: start.params };
      this.memo = {};
      app.editor.choose(0);
      app.inspect(null);
      if (app.steps.open) app.steps.toggle();
      app.take(arrays.points, arrays.labels, { task: start.task, methods: { ...now.methods, [start.task]: start.method }, params, lesson: k });
      this.show();
      $("#lesson").scrollIntoView({ block: "nearest" });
    } catch (error) {
      complain(error);
    }
  }

  /** After a link was opened. */
  restore() {
    this.memo = {};
    if (LESSONS[this.app.state.now.lesson]) this.show();
    else $("#lesson").hidden = true;
  }

  close() {
    this.app.state.look({ lesson: null });
    $("#lesson").hidden = true;
  }

  show() {
    const k = this.app.state.now.lesson;
    const lesson = LESSONS[k];
    const place = $("#lesson");
    place.hidden = false;
    place.classList.remove("done");
    place.replaceChildren(
      make("div", { class: "head" }, make("h2", {}, lesson.title), make("span", { class: "soft small" }, `${k + 1} of ${LESSONS.length}`)),
      ...lesson.text.map((text) => make("p", {}, text)),
      make("p", { class: "task" }, lesson.task),
      make("p", { class: "state", role: "status" }, ""),
      make("div", { class: "buttons" },
        make("button", { type: "button", onclick: () => this.begin(k) }, "Start again"),
        k + 1 < LESSONS.length ? make("button", { type: "button", id: "lesson-next", onclick: () => this.begin(k + 1) }, "Next lesson") : null,
        make("button", { type: "button", onclick: () => this.close() }, "Close")),
    );
    this.finished = false;
    this.check();
  }

  /** Whether the task is done now; once it is, it stays so. */
  check() {
    const { app } = this;
    const k = app.state.now.lesson;
    const lesson = LESSONS[k];
    if (!lesson || $("#lesson").hidden || this.finished) return;
    const { answer } = app;
    const { last, state } = app;
    const fresh = last && last.points === state.now.points && last.params === state.params && last.method === state.method;
    const current = fresh && answer;
    const { steps } = app;
    const seen = {
      app, memo: this.memo, method: app.state.method, points: app.state.now.points, failure: fresh ? app.failure : null, point: app.card.point,
      answer: current ? answer : null, header: current ? answer.header : null, cases: app.cases, value: (name) => app.value(name),
      course: steps.open && steps.course && steps.key?.params === app.state.params ? steps.course : null,
    };
    const against = this.against(lesson, seen);
    this.finished = !against && lesson.done(seen);
    const place = $("#lesson .state");
    if (this.finished) {
      this.solved.add(k);
      $("#lesson").classList.add("done");
      place.textContent = "✓ Done";
      $("#lesson-next")?.classList.add("main");
    } else place.textContent = against || (lesson.progress?.(seen) ?? "");
  }

  /** What has to be undone before the task can be done: too few points are left, or something else was changed. */
  against({ start, least, keep }, { points, method, value }) {
    if (points.length < (least ?? 0)) return `This task needs at least ${least} points; there are ${points.length}.`;
    if (method !== start.method) return "";
    for (const [name, wanted] of Object.entries(keep ?? {})) {
      if (value(name) === wanted) continue;
      const control = this.app.methodNow.controls.find((c) => c.name === name);
      return `For this task, set ${control.label} to ${control.options?.[wanted] ?? (wanted === "inf" ? "∞" : wanted)}.`;
    }
    return "";
  }
}
