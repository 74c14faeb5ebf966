// The left panel: method, its parameters, examples, classes. All from what the server says of its methods.

import { $, make, shown } from "./dom.js";
import { NAMES } from "./palette.js";

const STEPS = 1000;

function plain(value) {
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential().replace("e+", "e") : String(value);
}

export class Controls {
  constructor(app) {
    this.app = app;
    this.key = null;
  }

  /** Draw the panel anew where the method has changed, and the values. */
  update() {
    const { app } = this;
    const { state, specification } = app;
    if (!specification) return;
    const method = app.methodNow;
    const shownControls = method.controls.filter((c) => Object.entries(c.when).every(([k, v]) => v.includes(app.value(k))));
    const key = [state.now.task, method.name, ...shownControls.map((c) => c.name)].join(" ");
    if (key !== this.key) {
      this.key = key;
      this.methods();
      this.presets();
      $("#sentence").textContent = method.sentence;
      $("#parameters").replaceChildren(...shownControls.map((control) => this.row(control)));
    }
    for (const control of shownControls) this.show(control);
    this.classes();
    for (const tab of document.querySelectorAll("#tasks button")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.task === state.now.task));
    }
    for (const tool of document.querySelectorAll("#tools [data-tool]")) {
      tool.setAttribute("aria-pressed", String(tool.dataset.tool === app.editor.tool));
    }
    $("#undo").disabled = !state.past.length;
    $("#redo").disabled = !state.future.length;
  }

  methods() {
    const { state, specification } = this.app;
    const options = specification.methods.filter((m) => m.task === state.now.task);
    $("#method").replaceChildren(...options.map((m) => make("option", { value: m.name }, m.title)));
    $("#method").value = state.method;
  }

  presets() {
    const { state, specification } = this.app;
    const options = specification.presets.filter((p) => p.tasks.includes(state.now.task));
    $("#preset").replaceChildren(make("option", { value: "" }, "Examples…"), ...options.map((p) => make("option", { value: p.name }, p.title)));
  }

  row(control) {
    const id = `p-${control.name}`;
    const head = make("label", { for: id }, make("span", {}, control.label));
    if (control.type === "choice") {
      const select = make("select", { id, title: control.help, onchange: (e) => this.set(control, e.target.value, true) });
      select.append(...Object.entries(control.options).map(([value, label]) => make("option", { value }, label)));
      return make("div", { class: "parameter" }, head, select);
    }
    const number = make("input", {
      type: "text", inputmode: "decimal", class: "number", id: `${id}-number`, "aria-label": `${control.label}, as a number`,
      onchange: (e) => this.typed(control, e.target),
    });
    head.append(number);
    const slider = make("input", {
      type: "range", id, min: 0, max: STEPS, step: 1, title: control.help,
      oninput: (e) => this.set(control, this.fromSlider(control, Number(e.target.value)), false),
      onchange: () => this.app.state.settle(),
      onkeydown: (e) => this.arrow(control, e),
    });
    return make("div", { class: "parameter" }, head, slider);
  }

  show(control) {
    const value = this.app.value(control.name);
    const element = $(`#p-${control.name}`);
    if (control.type === "choice") {
      element.value = value;
      return;
    }
    element.value = this.toSlider(control, value);
    element.setAttribute("aria-valuetext", shown(value === "inf" ? Infinity : value, 4));
    const number = $(`#p-${control.name}-number`);
    if (document.activeElement !== number) number.value = value === "inf" ? "∞" : plain(value);
  }

  /** An arrow key: one more or less of what is counted, which may be less than a step of the slider's own. */
  arrow(control, event) {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!control.whole || !way || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const value = Math.min(control.high, Math.max(control.low, this.app.value(control.name) + way));
    if (value !== this.app.value(control.name)) this.set(control, value, true);
  }

  fromSlider(control, position) {
    const { low, high, scale, whole, endless } = control;
    if (endless && position === STEPS) return "inf";
    const t = position / STEPS;
    const value = scale === "log" ? low * (high / low) ** t : low + t * (high - low);
    const rounded = scale === "log" ? value.toPrecision(3) : value.toFixed(3);
    return whole ? Math.round(value) : Math.min(high, Math.max(low, Number(rounded)));
  }

  toSlider(control, value) {
    const { low, high, scale } = control;
    if (value === "inf") return STEPS;
    return Math.round(STEPS * (scale === "log" ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
  }

  typed(control, input) {
    const text = input.value.trim().replace("−", "-").replace(",", ".");
    const endless = control.endless && ["∞", "inf", "infinity"].includes(text.toLowerCase());
    const value = endless ? "inf" : Number(text);
    const possible = endless || (text !== "" && value >= control.low && value <= control.high && (!control.whole || Number.isInteger(value)));
    if (possible) this.set(control, value, true);
    else {
      const end = control.endless ? " or ∞" : "";
      this.app.say(`${control.label}: a ${control.whole ? "whole number" : "number"} from ${control.low} to ${control.high}${end}.`, "bad");
      const now = this.app.value(control.name);
      input.value = now === "inf" ? "∞" : plain(now);
    }
  }

  set(control, value, settled) {
    this.app.state.set(control.name, value);
    if (settled) this.app.state.settle();
  }

  classes() {
    const { app } = this;
    const { editor, palette } = app;
    const shownHere = app.state.now.task === "classes";
    $("#classes").hidden = !shownHere;
    if (!shownHere) return;
    const names = app.state.now.names?.classes;
    const key = `${editor.label} ${palette.paper} ${names}`;
    if (this.classKey === key) return;
    this.classKey = key;
    const buttons = palette.classes.slice(0, app.specification.limits.classes).map((colour, k) => {
      const name = names?.[k] ?? `class ${k}`;
      const button = make("button", {
        type: "button", class: "swatch", "aria-pressed": String(editor.label === k), title: `Draw ${name} (key ${k + 1})`, "aria-label": `${name}, ${NAMES[k]}`,
        onclick: () => editor.choose(k),
      }, app.icon(k, colour));
      return button;
    });
    $("#classes .row").replaceChildren(...buttons);
    $("#class-name").textContent = `Draws ${names?.[editor.label] ?? `class ${editor.label}`}.`;
  }
}
