// Colours that colour-blind people can tell apart (after Okabe and Ito), and a shape for each class.

export const LIGHT = {
  classes: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9"],
  paper: "#ffffff", ink: "#1f2733", soft: "#5d6979", grid: "#e4e8ee", line: "#1f2733", ring: "#1f2733", halo: "#ffffff",
  fill: [0.13, 0.3],
};
export const DARK = {
  classes: ["#4da6e0", "#ff8a3d", "#2ecc9b", "#e79ac4", "#e6c24a", "#9bd4f5"],
  paper: "#12161c", ink: "#e8ecf2", soft: "#9aa6b5", grid: "#252c36", line: "#e8ecf2", ring: "#e8ecf2", halo: "#12161c",
  fill: [0.16, 0.36],
};
export const NAMES = ["circle", "square", "triangle", "diamond", "star", "plus"];
const POLYGONS = [
  null,
  [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  [[0, -1.15], [1.05, 0.75], [-1.05, 0.75]],
  [[0, -1.25], [1.05, 0], [0, 1.25], [-1.05, 0]],
  Array.from({ length: 10 }, (_, k) => {
    const r = k % 2 ? 0.55 : 1.3;
    return [r * Math.sin((k * Math.PI) / 5), -r * Math.cos((k * Math.PI) / 5)];
  }),
  [[-0.4, -1.15], [0.4, -1.15], [0.4, -0.4], [1.15, -0.4], [1.15, 0.4], [0.4, 0.4], [0.4, 1.15], [-0.4, 1.15], [-0.4, 0.4], [-1.15, 0.4], [-1.15, -0.4], [-0.4, -0.4]],
];

/** The path of a class's shape. */
export function shape(pen, kind, x, y, r) {
  pen.beginPath();
  const polygon = POLYGONS[kind % POLYGONS.length];
  if (!polygon) pen.arc(x, y, r, 0, 2 * Math.PI);
  else {
    polygon.forEach(([dx, dy], k) => (k ? pen.lineTo(x + r * dx, y + r * dy) : pen.moveTo(x + r * dx, y + r * dy)));
    pen.closePath();
  }
}

export function channels(colour) {
  return [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
}
