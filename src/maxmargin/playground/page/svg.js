// A pen with the calls of a canvas that writes SVG.

const ANCHORS = { left: "start", center: "middle", right: "end" };
const BASELINES = { middle: "central", bottom: "text-after-edge", top: "text-before-edge", alphabetic: "alphabetic" };
const n = (v) => String(Math.round(v * 100) / 100);
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

export class SvgPen {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [], path: [], dash: [] });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px sans-serif", textAlign: "left", textBaseline: "alphabetic" });
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push(`M${n(x)} ${n(y)}`);
  }

  lineTo(x, y) {
    this.path.push(`${this.path.length ? "L" : "M"}${n(x)} ${n(y)}`);
  }

  closePath() {
    this.path.push("Z");
  }

  /** Whole circles alone are drawn. */
  arc(x, y, r) {
    this.path.push(`M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0Z`);
  }

  get alpha() {
    return this.globalAlpha === 1 ? "" : ` opacity="${this.globalAlpha}"`;
  }

  fill() {
    if (this.path.length) this.parts.push(`<path d="${this.path.join("")}" fill="${this.fillStyle}"${this.alpha}/>`);
  }

  stroke() {
    if (!this.path.length) return;
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${this.path.join("")}" fill="none" stroke="${this.strokeStyle}" stroke-width="${n(this.lineWidth)}"${dash}${this.alpha}/>`);
  }

  fillRect(x, y, w, h) {
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${this.fillStyle}"${this.alpha}/>`);
  }

  strokeRect(x, y, w, h) {
    this.parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="none" stroke="${this.strokeStyle}" stroke-width="${n(this.lineWidth)}"${this.alpha}/>`);
  }

  fillText(text, x, y) {
    const size = parseFloat(this.font);
    this.parts.push(
      `<text x="${n(x)}" y="${n(y)}" font-size="${size}" font-family="system-ui, sans-serif" fill="${this.fillStyle}" text-anchor="${ANCHORS[this.textAlign]}" dominant-baseline="${BASELINES[this.textBaseline]}">${escape(text)}</text>`,
    );
  }

  drawImage(canvas, x, y, w, h) {
    const look = canvas.smoothed ? "" : ' style="image-rendering:pixelated"';
    this.parts.push(`<image href="${canvas.toDataURL()}" x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" preserveAspectRatio="none"${look}/>`);
  }

  toString() {
    const { width, height } = this;
    const clip = `<clipPath id="all"><rect width="${n(width)}" height="${n(height)}"/></clipPath>`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}">${clip}<g clip-path="url(#all)">${this.parts.join("\n")}</g></svg>\n`;
  }
}
