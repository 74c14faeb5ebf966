// From places of the data to places on the canvas, and back.

export class View {
  /** `half` is half the shorter side, so that what is in the middle stays there when the canvas changes its shape. */
  constructor([cx, cy, half], width, height) {
    Object.assign(this, { cx, cy, half, width, height });
    this.scale = Math.min(width, height) / (2 * half);
    const [across, up] = [width / 2 / this.scale, height / 2 / this.scale];
    this.left = cx - across;
    this.right = cx + across;
    this.bottom = cy - up;
    this.top = cy + up;
  }

  get bounds() {
    return [this.left, this.right, this.bottom, this.top];
  }

  x(x) {
    return (x - this.left) * this.scale;
  }

  y(y) {
    return (this.top - y) * this.scale;
  }

  place(px, py) {
    return [this.left + px / this.scale, this.top - py / this.scale];
  }

  /** A coordinate with as many digits as a pixel has. */
  round(value) {
    const digits = Math.max(0, Math.min(30, Math.ceil(Math.log10(this.scale)) + 1));
    return Number(value.toFixed(digits));
  }
}

/** The view, or the nearest one whose sides differ in float64 and are numbers that the server takes. */
export function within([cx, cy, half]) {
  const [x, y] = [cx, cy].map((v) => Math.max(-1e10, Math.min(1e10, v)));
  const least = Math.max(1e-9, 1e-12 * Math.max(Math.abs(x), Math.abs(y)));
  return [x, y, Math.max(least, Math.min(1e10, half))];
}

/** The view that has all points in it. */
export function around(points, aspect = 1) {
  if (!points.length) return [0, 0, 3.3];
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const half = 0.58 * Math.max((top - bottom) * Math.min(1, aspect), (right - left) * Math.min(1, 1 / aspect));
  return within([(left + right) / 2, (bottom + top) / 2, half > 0 ? half : 1]);
}

/** Round numbers for the ticks of an axis. */
export function ticks(low, high, most) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}
