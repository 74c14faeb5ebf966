// Links, pictures, animations, and the program that does the same.

import { animate } from "./apng.js";
import { complain } from "./connection.js";
import { $, copy, make, save, say } from "./dom.js";
import { draw } from "./scene.js";
import { toFragment } from "./state.js";
import { SvgPen } from "./svg.js";

const FRAMES = 48;
const SIDE = 640;

export class Share {
  constructor(app) {
    this.app = app;
    const on = (id, call) => $(id).addEventListener("click", () => call.call(this).catch(complain));
    $("#share-open").addEventListener("click", () => {
      $("#python").hidden = true;
      $("#save-steps").disabled = this.filming || !app.methodNow?.steps;
      $("#share").showModal();
    });
    on("#copy-link", this.link);
    on("#copy-python", this.python);
    on("#save-png", this.png);
    on("#save-svg", this.svg);
    on("#save-steps", this.steps);
  }

  async link() {
    await copy(location.origin + location.pathname + (await toFragment(this.app.state.now)), "Link");
  }

  async python() {
    const { header } = await this.app.connection.ask("python", ...this.app.question());
    const place = $("#python");
    place.textContent = header.text;
    place.hidden = false;
    await copy(header.text, "Program");
  }

  async png() {
    const { view } = this.app;
    const blob = await this.picture(this.app.scene(), view.width, view.height, 2);
    save(blob, "maxmargin.png");
    return blob;
  }

  async svg() {
    const text = this.svgText();
    save(new Blob([text], { type: "image/svg+xml" }), "maxmargin.svg");
  }

  svgText() {
    const { view, palette } = this.app;
    const pen = new SvgPen(view.width, view.height);
    draw(pen, this.plain(this.app.scene()), palette, view.width, view.height);
    return pen.toString();
  }

  /** The scene without what only the one who draws needs. */
  plain(scene) {
    return { ...scene, hover: null, chosen: null, cursor: null, ghost: null };
  }

  picture(scene, width, height, ratio) {
    const canvas = make("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    draw(pen, this.plain(scene), this.app.palette, width, height);
    return new Promise((done) => canvas.toBlob(done));
  }

  /** A picture of each step, or of so many that are spread evenly, as an animated PNG; of what is drawn now. */
  async steps() {
    const { app } = this;
    const button = $("#save-steps");
    this.filming = button.disabled = true;
    try {
      const scene = app.scene();
      const width = Math.round(SIDE * (app.view.width / app.view.height));
      const [asked, drawn] = app.question(null);
      const { header, arrays } = await app.connection.ask("frames", asked, drawn);
      const all = [...arrays.steps];
      const kept = all.length <= FRAMES ? all : Array.from({ length: FRAMES }, (_, k) => all[Math.round((k / (FRAMES - 1)) ** 1.5 * (all.length - 1))]);
      const frames = [];
      for (const step of new Set(kept)) {
        say(`Step ${step} of ${header.last}…`);
        const answer = await app.connection.ask("frame", { ...asked, step: step === header.last ? null : step }, drawn);
        answer.count = scene.points.length;
        frames.push(await this.picture({ ...scene, answer }, width, SIDE, 1));
      }
      const blob = await animate(frames, width, SIDE, 120);
      save(blob, "maxmargin-steps.png");
      say(frames.length === 1 ? "One step in a PNG." : `${frames.length} steps in an animated PNG.`);
      return blob;
    } finally {
      this.filming = false;
      button.disabled = !app.methodNow?.steps;
    }
  }
}
