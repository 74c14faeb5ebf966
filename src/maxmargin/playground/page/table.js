// A table that is pasted, chosen or dropped, or that the command was given: which columns are drawn.

import { Dropped } from "./connection.js";
import { $, make, say } from "./dom.js";

const MOST = 1_000_000; // characters
const MOST_BYTES = 1_900_000; // the socket takes no longer messages
const NO_CLASS = 255;

export class TableDialog {
  constructor(app) {
    this.app = app;
    $("#table-open").addEventListener("click", () => this.show());
    $("#table-read").addEventListener("click", () => this.read($("#table-text").value));
    $("#table-file").addEventListener("change", (e) => {
      if (e.target.files[0]) this.file(e.target.files[0]);
      e.target.value = ""; // the same file may be chosen again when it has changed
    });
    $("#table-use").addEventListener("click", () => this.use());
    document.addEventListener("dragover", (e) => e.preventDefault());
    document.addEventListener("drop", (e) => {
      if (e.target.matches("input, textarea") && !e.dataTransfer.files.length) return; // text, as elsewhere
      e.preventDefault(); // beside the picture the browser would leave the page for the file
      const file = e.dataTransfer.files[0];
      if (!file) return;
      this.show();
      this.file(file);
    });
    document.addEventListener("paste", (e) => {
      if (e.target.matches("input, textarea") || document.querySelector("dialog[open]")) return;
      const text = e.clipboardData.getData("text/plain");
      if (!text.includes("\n")) return;
      this.show();
      $("#table-text").value = text.slice(0, MOST);
      this.read(text);
    });
  }

  show() {
    if (!$("#table").open) $("#table").showModal();
  }

  async file(file) {
    if (file.size > MOST) return this.message(`The file has ${file.size.toLocaleString("en")} bytes; up to ${MOST.toLocaleString("en")} are possible here.`);
    const text = await file.text();
    $("#table-text").value = text;
    await this.read(text);
  }

  message(text) {
    $("#table-message").textContent = text;
    $("#table-columns").hidden = true;
  }

  async read(text) {
    try {
      if (text.length > MOST || new TextEncoder().encode(text).length > MOST_BYTES) throw new Error(`A pasted table has up to ${MOST.toLocaleString("en")} characters here.`);
      const { header, arrays } = await this.app.connection.ask("table", { text });
      this.offer({ ...header, arrays });
    } catch (error) {
      if (!(error instanceof Dropped)) this.message(error.message);
    }
  }

  /** A table that the command was given: its first pair of columns is drawn, the others are in the dialog. */
  given(header, arrays) {
    this.offer({ ...header, arrays });
    const { name, of, rows } = header;
    if (of > rows) this.about(`${rows.toLocaleString("en")} of the ${of.toLocaleString("en")} rows of ${name}, drawn at random.`);
    else this.about(`The columns of ${name}.`);
  }

  about(text) {
    $("#table-about").textContent = text;
    $("#table-about").hidden = false;
  }

  /** The columns to choose from, with a first choice. */
  offer(found) {
    this.found = found;
    this.message(found.note);
    $("#table-about").hidden = true;
    const { axes, groups, texts, target } = found;
    const options = (names) => names.map((name, k) => make("option", { value: k }, name));
    $("#table-x").replaceChildren(...options(axes));
    $("#table-y").replaceChildren(...options(axes));
    $("#table-class").replaceChildren(make("option", { value: "" }, "none"), ...options(groups));
    const curve = target && !groups.includes(target) && axes.includes(target);
    const free = axes.map((_, k) => k).filter((k) => axes[k] !== target);
    const up = curve ? axes.indexOf(target) : free[1] ?? free[0] ?? 0;
    const across = free[0] ?? 0;
    $("#table-x").value = String(across);
    $("#table-y").value = String(up);
    const drawn = [axes[across], axes[up]];
    const group = groups.includes(target) ? target : texts.at(-1) ?? groups.filter((name) => !drawn.includes(name)).at(-1);
    $("#table-class").value = group === undefined || curve ? "" : String(groups.indexOf(group));
    this.curve = Boolean(curve);
    $("#table-use").textContent = "Draw these columns";
    $("#table-columns").hidden = false;
  }

  use() {
    const { axes, groups, words, arrays, rows } = this.found;
    const [x, y, group] = ["#table-x", "#table-y", "#table-class"].map((id) => $(id).value);
    const [across, up] = [arrays[`n${x}`], arrays[`n${y}`]];
    const classes = group === "" ? null : arrays[`c${group}`];
    const kept = Array.from({ length: rows }, (_, k) => k).filter((k) => Number.isFinite(across[k]) && Number.isFinite(up[k]) && !(classes && classes[k] === NO_CLASS));
    if (!kept.length) return this.message("No row has a number in both columns.");
    const places = new Float64Array(2 * kept.length);
    kept.forEach((row, k) => ([places[2 * k], places[2 * k + 1]] = [across[row], up[row]]));
    const labels = classes ? Uint8Array.from(kept, (row) => classes[row]) : new Uint8Array(kept.length);
    const task = this.curve && !classes ? { task: "curve" } : classes ? { task: this.app.state.now.task === "clusters" ? "clusters" : "classes" } : {};
    this.app.take(places, labels, task, { axes: [axes[x], axes[y]], classes: classes ? words[group] : null });
    $("#table").close();
    const left = rows - kept.length;
    const by = classes ? `, classes by ${groups[group]}` : "";
    say(`${kept.length} points drawn${by}.${left ? ` ${left === 1 ? "One row has" : `${left} rows have`} a missing value and ${left === 1 ? "is" : "are"} left out.` : ""}`);
  }
}
