// From places of the data to places on the canvas, and back.

export class View {
  constructor([cx, cy, half], width, height) {
    Object.assign(this, { cx, cy, half, width, height });
    this.scale = height / (2 * half);
    const across = width / 2 / this.scale;
    this.left = cx - across;
    this.right = cx + across;
    this.bottom = cy - half;
    this.top = cy + half;
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
    const digits = Math.max(0, Math.min(12, Math.ceil(Math.log10(this.scale)) + 1));
    return Number(value.toFixed(digits));
  }
}

/** The view that has all points in it. */
export function around(points, aspect = 1) {
  if (!points.length) return [0, 0, 3.3];
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const [left, right, bottom, top] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const half = 0.58 * Math.max(top - bottom, (right - left) / aspect);
  return [(left + right) / 2, (bottom + top) / 2, half > 0 ? half : 1];
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
