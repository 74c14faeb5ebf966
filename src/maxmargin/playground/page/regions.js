// The coloured regions: a picture from the grids of an answer.

import { channels } from "./palette.js";

/** A canvas with the regions of an answer; `at` says how they lie on the grid. Null if there are none. */
export function paint(answer, palette, width, height) {
  const { arrays, header } = answer;
  const [across, down] = header.cells;
  const colours = palette.classes.map(channels);
  const paper = channels(palette.paper);
  if (arrays.values) return smooth(arrays.values, across, down, header.classes, colours, paper, palette.fill, width, height);
  if (arrays.regions) return flat(arrays.regions, arrays.sure, across, down, colours, paper, palette.fill);
  return null;
}

function smooth(values, across, down, classes, colours, paper, fill, width, height) {
  const planes = values.length / (across * down);
  const image = new ImageData(width, height);
  const cells = across * down;
  const out = image.data;
  const tones = classes.map((c) => colours[c]);
  const f = new Float64Array(planes);
  for (let j = 0, at = 0; j < height; j++) {
    const v = Math.min(Math.max(((j + 0.5) / height) * down - 0.5, 0), down - 1.001);
    const row = Math.floor(v);
    const dy = v - row;
    for (let i = 0; i < width; i++, at += 4) {
      const u = Math.min(Math.max(((i + 0.5) / width) * across - 0.5, 0), across - 1.001);
      const column = Math.floor(u);
      const dx = u - column;
      const k = row * across + column;
      for (let p = 0; p < planes; p++) {
        const q = p * cells + k;
        const above = values[q] + dx * (values[q + 1] - values[q]);
        const below = values[q + across] + dx * (values[q + across + 1] - values[q + across]);
        f[p] = above + dy * (below - above);
      }
      let best = 0;
      let strength;
      if (planes === 1) {
        best = f[0] > 0 ? 1 : 0;
        strength = Math.abs(f[0]);
      } else {
        let second = -Infinity;
        for (let p = 1; p < planes; p++) {
          if (f[p] > f[best]) {
            second = f[best];
            best = p;
          } else if (f[p] > second) second = f[p];
        }
        strength = f[best] - second;
      }
      const t = fill[0] + (fill[1] - fill[0]) * Math.min(1, strength);
      const tone = tones[best];
      out[at] = paper[0] + t * (tone[0] - paper[0]);
      out[at + 1] = paper[1] + t * (tone[1] - paper[1]);
      out[at + 2] = paper[2] + t * (tone[2] - paper[2]);
      out[at + 3] = 255;
    }
  }
  return onCanvas(image, true);
}

function flat(regions, sure, across, down, colours, paper, fill) {
  const image = new ImageData(across, down);
  for (let k = 0, at = 0; k < regions.length; k++, at += 4) {
    const tone = colours[regions[k]];
    const share = sure ? Math.max(0, 2 * sure[k] - 1) : 0.5;
    const t = fill[0] + (fill[1] - fill[0]) * share;
    for (let c = 0; c < 3; c++) image.data[at + c] = paper[c] + t * (tone[c] - paper[c]);
    image.data[at + 3] = 255;
  }
  return onCanvas(image, false);
}

function onCanvas(image, smoothed) {
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.smoothed = smoothed;
  return canvas;
}
