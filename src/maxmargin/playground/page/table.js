// A table that is pasted, chosen or dropped: which columns are drawn.

import { $, make, say } from "./dom.js";

const MOST = 1_000_000;

export class TableDialog {
  constructor(app) {
    this.app = app;
    $("#table-open").addEventListener("click", () => $("#table").showModal());
    $("#table-read").addEventListener("click", () => this.read($("#table-text").value));
    $("#table-file").addEventListener("change", (e) => e.target.files[0] && this.file(e.target.files[0]));
    $("#table-use").addEventListener("click", () => this.use());
    const stage = $("#stage");
    stage.addEventListener("dragover", (e) => e.preventDefault());
    stage.addEventListener("drop", (e) => {
      e.preventDefault();
      const file = e.dataTransfer.files[0];
      if (!file) return;
      $("#table").showModal();
      this.file(file);
    });
    document.addEventListener("paste", (e) => {
      if (e.target.matches("input, textarea") || document.querySelector("dialog[open]")) return;
      const text = e.clipboardData.getData("text/plain");
      if (!text.includes("\n")) return;
      $("#table").showModal();
      $("#table-text").value = text.slice(0, MOST);
      this.read(text);
    });
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
      if (text.length > MOST) throw new Error(`A pasted table has up to ${MOST.toLocaleString("en")} characters here.`);
      const { header, arrays } = await this.app.connection.ask("table", { text });
      this.found = { ...header, arrays };
    } catch (error) {
      this.message(error.message || "The server is not there just now.");
      return;
    }
    this.message("");
    const { axes, groups, rows } = this.found;
    const options = (names) => names.map((name, k) => make("option", { value: k }, name));
    $("#table-x").replaceChildren(...options(axes));
    $("#table-y").replaceChildren(...options(axes));
    $("#table-y").value = String(Math.min(1, axes.length - 1));
    $("#table-class").replaceChildren(make("option", { value: "" }, "none"), ...options(groups));
    $("#table-class").value = groups.length ? String(groups.length - 1) : "";
    $("#table-use").textContent = `Draw these ${rows} points`;
    $("#table-columns").hidden = false;
  }

  use() {
    const { axes, groups, words, arrays, rows } = this.found;
    const [x, y, group] = ["#table-x", "#table-y", "#table-class"].map((id) => $(id).value);
    const [across, up] = [arrays[`n${x}`], arrays[`n${y}`]];
    const places = new Float64Array(2 * rows);
    for (let k = 0; k < rows; k++) [places[2 * k], places[2 * k + 1]] = [across[k], up[k]];
    const labels = group === "" ? new Uint8Array(rows) : arrays[`c${group}`];
    this.app.take(places, labels, {}, { axes: [axes[x], axes[y]], classes: group === "" ? null : words[group] });
    $("#table").close();
    say(`${rows} points of ${groups[group] ? `classes by ${groups[group]}` : "no classes"}.`);
  }
}
