// What a model consists of: prototypes, centres and their ways, weak learners, trees.

import { shape } from "./palette.js";

export function drawPieces(pen, answer, view, palette, what) {
  const { pieces } = answer.header;
  if (pieces.trees) trees(pen, pieces, view, palette, what);
  if (pieces.learners) learners(pen, pieces.learners, view, palette);
  if (pieces.prototypes && answer.count === what.points.length) prototypes(pen, pieces.prototypes, what.points, view, palette);
  if (pieces.centres) centres(pen, pieces.centres, view, palette);
}

function segment(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

function trees(pen, { trees: all, tree_count: count }, view, palette, what) {
  const tree = all[0];
  pen.strokeStyle = palette.line;
  if (count) return; // of a forest the vote is shown
  pen.globalAlpha = what.task === "curve" ? 0.22 : 1;
  for (const [x0, y0, x1, y1, depth] of tree.lines) {
    pen.lineWidth = Math.max(0.7, 2.4 - 0.4 * depth);
    segment(pen, view.x(x0), view.y(y0), view.x(x1), view.y(y1));
  }
  pen.globalAlpha = 1;
}

function learners(pen, all, view, palette) {
  const largest = Math.max(...all.map((it) => Math.abs(it.vote)), 1e-12);
  pen.strokeStyle = palette.line;
  all.forEach((it, k) => {
    const last = k === all.length - 1;
    pen.globalAlpha = last ? 0.95 : 0.12 + 0.4 * (Math.abs(it.vote) / largest);
    pen.lineWidth = last ? 2.2 : 1.2;
    if (it.kind === "stump") {
      if (it.feature === 0) segment(pen, view.x(it.threshold), 0, view.x(it.threshold), view.height);
      else segment(pen, 0, view.y(it.threshold), view.width, view.y(it.threshold));
    } else if (it.kind === "line") {
      const [a, b] = it.weights;
      if (Math.abs(b) >= Math.abs(a)) {
        const y = (x) => view.y(-(a * x + it.intercept) / b);
        segment(pen, 0, y(view.left), view.width, y(view.right));
      } else {
        const x = (y) => view.x(-(b * y + it.intercept) / a);
        segment(pen, x(view.top), 0, x(view.bottom), view.height);
      }
    } else {
      const limit = (v, end) => (v === "inf" || v === "-inf" ? end : v);
      const { low, high } = it.box; // infinite where a column does not matter
      const [x0, x1] = [view.x(limit(low[0], view.left - 1)), view.x(limit(high[0], view.right + 1))];
      const [y0, y1] = [view.y(limit(high[1], view.top + 1)), view.y(limit(low[1], view.bottom - 1))];
      pen.strokeRect(x0, y0, x1 - x0, y1 - y0);
    }
  });
  pen.globalAlpha = 1;
}

function prototypes(pen, kept, points, view, palette) {
  pen.strokeStyle = palette.ring;
  pen.lineWidth = 1.8;
  for (const k of kept) {
    const point = points[k];
    if (!point) continue;
    pen.beginPath();
    pen.arc(view.x(point[0]), view.y(point[1]), 9, 0, 2 * Math.PI);
    pen.stroke();
  }
}

function centres(pen, all, view, palette) {
  all.forEach(([x, y], k) => {
    pen.fillStyle = palette.classes[k % palette.classes.length];
    pen.strokeStyle = palette.ink;
    pen.lineWidth = 2.4;
    shape(pen, k, view.x(x), view.y(y), 11);
    pen.fill();
    pen.stroke();
  });
}
