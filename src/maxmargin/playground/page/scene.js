// The picture: regions, boundaries, pieces of the model, points. Drawn on a canvas or into an SVG by the same calls.

import { contour, lead } from "./contours.js";
import { shape } from "./palette.js";
import { paint } from "./regions.js";
import { drawPieces } from "./pieces.js";
import { View, ticks } from "./view.js";

const RADIUS = 5.2;

/** Draw everything. `what`: state, answer, hover, chosen, cursor, ghost, points (as they are now), regionScale. */
export function draw(pen, what, palette, width, height) {
  const view = new View(what.view, width, height);
  pen.fillStyle = palette.paper;
  pen.fillRect(0, 0, width, height);
  const { answer } = what;
  if (answer) regions(pen, answer, view, palette, what);
  grid(pen, view, palette, what.names);
  if (answer) {
    boundaries(pen, answer, view, palette);
    drawPieces(pen, answer, view, palette, what);
    if (answer.arrays.curve) curves(pen, answer, view, palette, what);
  }
  if (what.ghost) ghost(pen, what.ghost, view, palette);
  points(pen, what, view, palette);
  if (what.cursor) crosshair(pen, what.cursor, view, palette);
}

function regions(pen, answer, view, palette, what) {
  const key = palette.paper + what.regionScale;
  if (answer.regionKey !== key) {
    const [w, h] = [view.width, view.height].map((side) => Math.max(2, Math.round(side * what.regionScale)));
    answer.regions = paint(answer, palette, w, h);
    answer.regionKey = key;
  }
  if (!answer.regions) return;
  const [left, right, bottom, top] = answer.header.view;
  pen.imageSmoothingEnabled = answer.regions.smoothed;
  pen.drawImage(answer.regions, view.x(left), view.y(top), (right - left) * view.scale, (top - bottom) * view.scale);
}

function grid(pen, view, palette, names) {
  pen.lineWidth = 1;
  pen.strokeStyle = palette.grid;
  pen.fillStyle = palette.soft;
  pen.font = "12px system-ui, sans-serif";
  const number = (v) => String(v).replace("-", "−");
  pen.textAlign = "center";
  pen.textBaseline = "bottom";
  for (const x of ticks(view.left, view.right, view.width / 90)) {
    const at = Math.round(view.x(x)) + 0.5;
    if (at < 18 || at > view.width - 18) continue;
    stroke(pen, [at, view.height - 22, at, view.height - 18]);
    pen.fillText(number(x), at, view.height - 4);
  }
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (const y of ticks(view.bottom, view.top, view.height / 80)) {
    const at = Math.round(view.y(y)) + 0.5;
    if (at < 12 || at > view.height - 30) continue;
    pen.fillText(number(y), 6, at);
  }
  if (!names) return;
  pen.textAlign = "right";
  pen.fillText(`→ ${names.axes[0]}`, view.width - 8, view.height - 34);
  pen.textAlign = "left";
  pen.fillText(`↑ ${names.axes[1]}`, 8, 14);
}

function stroke(pen, line) {
  pen.beginPath();
  for (let k = 0; k < line.length; k += 4) {
    pen.moveTo(line[k], line[k + 1]);
    pen.lineTo(line[k + 2], line[k + 3]);
  }
  pen.stroke();
}

/** Lines of a contour in pixels. */
function onPixels(lines, header, view) {
  const [left, right, bottom, top] = header.view;
  const [across, down] = header.cells;
  const dx = (right - left) / across;
  const dy = (top - bottom) / down;
  return lines.map((line) => line.map((v, k) => (k % 2 ? view.y(top - (v + 0.5) * dy) : view.x(left + (v + 0.5) * dx))));
}

function follow(pen, lines) {
  pen.beginPath();
  for (const line of lines) {
    pen.moveTo(line[0], line[1]);
    for (let k = 2; k < line.length; k += 2) pen.lineTo(line[k], line[k + 1]);
  }
  pen.stroke();
}

function linesOf(answer, level, plane) {
  answer.lines ??= new Map();
  const key = `${plane} ${level}`;
  if (!answer.lines.has(key)) {
    const [across, down] = answer.header.cells;
    answer.lines.set(key, contour(plane, across, down, level));
  }
  return answer.lines.get(key);
}

function boundaries(pen, answer, view, palette) {
  const { values, f } = answer.arrays;
  if (!values) return;
  const [across, down] = answer.header.cells;
  const planes = values.length / (across * down);
  pen.strokeStyle = palette.line;
  pen.setLineDash([]);
  if (planes > 1) {
    pen.lineWidth = 1.4;
    answer.leads ??= Array.from({ length: planes }, (_, k) => lead(values, planes, across * down, k));
    answer.leadLines ??= answer.leads.map((plane) => contour(plane, across, down, 0));
    for (const lines of answer.leadLines) follow(pen, onPixels(lines, answer.header, view));
    return;
  }
  pen.lineWidth = 2.2;
  follow(pen, onPixels(linesOf(answer, 0, values), answer.header, view));
  if (!answer.header.margin_width || !f) return;
  pen.lineWidth = 1.3;
  pen.setLineDash([6, 5]);
  for (const level of [-1, 1]) follow(pen, onPixels(linesOf(answer, level, values), answer.header, view));
  pen.setLineDash([]);
}

function path(pen, curve, view, shift = 0) {
  pen.beginPath();
  for (let k = 0; k < curve.length; k += 2) {
    const [x, y] = [view.x(curve[k]), view.y(curve[k + 1] + shift)];
    if (k) pen.lineTo(x, y);
    else pen.moveTo(x, y);
  }
}

function curves(pen, answer, view, palette, what) {
  const { curve } = answer.arrays;
  const epsilon = what.epsilon ?? 0;
  if (answer.arrays.multiplier && epsilon) {
    pen.beginPath();
    for (let k = 0; k < curve.length; k += 2) pen.lineTo(view.x(curve[k]), view.y(curve[k + 1] + epsilon));
    for (let k = curve.length - 2; k >= 0; k -= 2) pen.lineTo(view.x(curve[k]), view.y(curve[k + 1] - epsilon));
    pen.closePath();
    pen.globalAlpha = 0.13;
    pen.fillStyle = palette.classes[0];
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = palette.line;
    pen.lineWidth = 1.2;
    pen.setLineDash([6, 5]);
    for (const side of [-epsilon, epsilon]) {
      path(pen, curve, view, side);
      pen.stroke();
    }
    pen.setLineDash([]);
  }
  pen.strokeStyle = palette.classes[1];
  pen.lineWidth = 2.6;
  path(pen, curve, view);
  pen.stroke();
}

/** Where the boundary would be without the point that is looked at. */
function ghost(pen, found, view, palette) {
  pen.strokeStyle = palette.classes[3];
  pen.lineWidth = 2;
  pen.setLineDash([2, 4]);
  if (found.arrays.values) {
    const [across, down] = found.header.cells;
    found.lines ??= contour(found.arrays.values, across, down, 0);
    follow(pen, onPixels(found.lines, found.header, view));
  }
  if (found.arrays.curve) {
    path(pen, found.arrays.curve, view);
    pen.stroke();
  }
  pen.setLineDash([]);
}

function points(pen, what, view, palette) {
  const { answer, points: all } = what;
  const current = answer && answer.count === all.length;
  const multiplier = current ? (answer.arrays.multiplier ?? answer.multipliers) : null;
  const clusters = current && what.task === "clusters" ? answer.arrays.predicted : null;
  const largest = multiplier ? Math.max(...multiplier) : 0;
  if (current) slack(pen, what, view, palette);
  const r = all.length > 1500 ? 2.6 : all.length > 500 ? 3.6 : RADIUS;
  all.forEach(([x, y, label], k) => {
    const [px, py] = [view.x(x), view.y(y)];
    if (px < -20 || py < -20 || px > view.width + 20 || py > view.height + 20) return;
    const kind = clusters ? clusters[k] : what.task === "classes" ? label : 0;
    if (multiplier && multiplier[k] > 0) {
      pen.strokeStyle = palette.ring;
      pen.lineWidth = 1.2 + 1.4 * (multiplier[k] / largest);
      pen.beginPath();
      pen.arc(px, py, r + 3 + 3.5 * Math.sqrt(multiplier[k] / largest), 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.fillStyle = what.task === "curve" || what.plain ? palette.soft : palette.classes[kind];
    pen.strokeStyle = palette.halo;
    pen.lineWidth = r > 3 ? 1.4 : 0.7;
    shape(pen, kind, px, py, r);
    pen.fill();
    pen.stroke();
    if (k === what.hover || k === what.chosen) {
      pen.strokeStyle = palette.ring;
      pen.lineWidth = 2;
      pen.setLineDash(k === what.chosen ? [4, 3] : []);
      pen.beginPath();
      pen.arc(px, py, r + 9, 0, 2 * Math.PI);
      pen.stroke();
      pen.setLineDash([]);
    }
  });
}

/** A line from each point that pays to where it would not: down the slope of f on the grid, or up to the tube. */
function slack(pen, what, view, palette) {
  const { answer, points: all } = what;
  const { slack: found, f } = answer.arrays;
  if (!found || all.length > 800) return;
  answer.feet ??= feet(answer, all, what);
  pen.lineWidth = 1.1;
  pen.globalAlpha = 0.75;
  for (const [k, x, y] of answer.feet) {
    pen.strokeStyle = what.task === "curve" || !f ? palette.soft : palette.classes[all[k][2]];
    stroke(pen, [view.x(all[k][0]), view.y(all[k][1]), view.x(x), view.y(y)]);
  }
  pen.globalAlpha = 1;
}

function feet(answer, all, what) {
  const { slack: found, f, values } = answer.arrays;
  const ends = [];
  for (let k = 0; k < all.length; k++) {
    if (!(found[k] > 1e-9)) continue;
    const [x, y, label] = all[k];
    if (!values) {
      ends.push([k, x, f[k] + Math.sign(y - f[k]) * (what.epsilon ?? 0)]);
      continue;
    }
    const foot = walk(answer, x, y, label === answer.header.classes[1] ? 1 : -1);
    if (foot) ends.push([k, ...foot]);
  }
  return ends;
}

/** From a place along the gradient of f to where f = `level`; null if that is not within the grid. */
function walk(answer, x, y, level) {
  const [left, right, bottom, top] = answer.header.view;
  const [across, down] = answer.header.cells;
  const [dx, dy] = [(right - left) / across, (top - bottom) / down];
  const { values } = answer.arrays;
  const at = (px, py) => {
    const u = (px - left) / dx - 0.5;
    const v = (top - py) / dy - 0.5;
    const [i, j] = [Math.floor(u), Math.floor(v)];
    if (i < 0 || j < 0 || i + 1 >= across || j + 1 >= down) return null;
    const [a, b] = [u - i, v - j];
    const k = j * across + i;
    return (1 - b) * ((1 - a) * values[k] + a * values[k + 1]) + b * ((1 - a) * values[k + across] + a * values[k + across + 1]);
  };
  for (let n = 0; n < 60; n++) {
    const [f, fx, fy] = [at(x, y), at(x + dx, y), at(x, y + dy)];
    if (f === null || fx === null || fy === null) return null;
    if (Math.abs(f - level) < 2e-3) return [x, y];
    const [gx, gy] = [(fx - f) / dx, (fy - f) / dy];
    const square = gx * gx + gy * gy;
    if (square < 1e-12) return null;
    let step = (level - f) / square;
    const long = Math.abs(step) * Math.sqrt(square);
    if (long > 2 * dx) step *= (2 * dx) / long;
    x += step * gx;
    y += step * gy;
  }
  return null;
}

function crosshair(pen, [x, y], view, palette) {
  const [px, py] = [view.x(x), view.y(y)];
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1.5;
  stroke(pen, [px - 14, py, px - 5, py, px + 5, py, px + 14, py, px, py - 14, px, py - 5, px, py + 5, px, py + 14]);
}
