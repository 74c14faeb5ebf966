// Lines of equal height through a grid, by marching squares.

/** Lines [x0, y0, x1, y1, ...] in cells of the grid where `values` (rows from the top) are at `level`. */
export function contour(values, across, down, level) {
  const lines = [];
  for (let j = 0; j + 1 < down; j++) {
    for (let i = 0; i + 1 < across; i++) {
      const k = j * across + i;
      const a = values[k] - level;
      const b = values[k + 1] - level;
      const c = values[k + across + 1] - level;
      const d = values[k + across] - level;
      const kind = (a > 0) | ((b > 0) << 1) | ((c > 0) << 2) | ((d > 0) << 3);
      if (kind === 0 || kind === 15) continue;
      const top = [i + a / (a - b), j];
      const right = [i + 1, j + b / (b - c)];
      const bottom = [i + d / (d - c), j + 1];
      const left = [i, j + a / (a - d)];
      const join = (p, q) => lines.push(p[0], p[1], q[0], q[1]);
      switch (kind) {
        case 1: case 14: join(left, top); break;
        case 2: case 13: join(top, right); break;
        case 4: case 11: join(right, bottom); break;
        case 8: case 7: join(bottom, left); break;
        case 3: case 12: join(left, right); break;
        case 6: case 9: join(top, bottom); break;
        default: // the saddle: by the sign of its middle
          if ((a + b + c + d > 0) === (kind === 5)) {
            join(left, bottom);
            join(top, right);
          } else {
            join(left, top);
            join(right, bottom);
          }
      }
    }
  }
  return chain(lines);
}

/** Segments put together to lines: each an array [x0, y0, x1, y1, x2, ...]. */
function chain(segments) {
  const ends = new Map();
  const key = (x, y) => `${Math.round(x * 4096)} ${Math.round(y * 4096)}`;
  const count = segments.length / 4;
  for (let s = 0; s < count; s++) {
    for (const at of [4 * s, 4 * s + 2]) {
      const name = key(segments[at], segments[at + 1]);
      if (!ends.has(name)) ends.set(name, []);
      ends.get(name).push(s);
    }
  }
  const used = new Uint8Array(count);
  const follow = (x, y) => {
    const line = [];
    for (;;) {
      const s = ends.get(key(x, y))?.find((k) => !used[k]);
      if (s === undefined) return line;
      used[s] = 1;
      const first = key(segments[4 * s], segments[4 * s + 1]) === key(x, y);
      [x, y] = first ? [segments[4 * s + 2], segments[4 * s + 3]] : [segments[4 * s], segments[4 * s + 1]];
      line.push([x, y]);
    }
  };
  const lines = [];
  for (let s = 0; s < count; s++) {
    if (used[s]) continue;
    used[s] = 1;
    const [x0, y0, x1, y1] = segments.slice(4 * s, 4 * s + 4);
    const on = follow(x1, y1);
    const back = follow(x0, y0);
    lines.push([...back.reverse(), [x0, y0], [x1, y1], ...on].flat());
  }
  return lines;
}

/** How far plane `k` is above all others, cell by cell. */
export function lead(values, planes, cells, k) {
  const found = new Float32Array(cells);
  for (let at = 0; at < cells; at++) {
    let best = -Infinity;
    for (let p = 0; p < planes; p++) if (p !== k) best = Math.max(best, values[p * cells + at]);
    found[at] = values[k * cells + at] - best;
  }
  return found;
}
