// A decision tree as nested questions, for eyes and for screen readers.

import { make, shown } from "./dom.js";

let open = false; // what its reader has opened stays so from answer to answer

/** The questions of a tree, as an element that unfolds; of a forest its first tree. */
export function asText(tree, { classes }, count, names) {
  const title = count > 1 ? `The first of ${count} trees` : "The tree";
  const details = make("details", { class: "tree", open }, make("summary", {}, title), make("ul", {}, node(tree, 0, classes, names)));
  details.addEventListener("toggle", () => (open = details.open));
  return details;
}

function node(tree, k, classes, names) {
  if (tree.left[k] < 0) return make("li", {}, leaf(tree, k, classes, names));
  const question = make("span", {}, `${names?.axes[tree.feature[k]] ?? "xy"[tree.feature[k]]} ≤ `, make("span", { "data-figure": "threshold", "data-value": String(tree.threshold[k]) }, shown(tree.threshold[k])), "?");
  const branch = (word, child) => make("li", {}, make("span", { class: "soft" }, word), make("ul", {}, node(tree, child, classes, names)));
  return make("li", {}, question, make("ul", {}, branch("yes", tree.left[k]), branch("no", tree.right[k])));
}

function leaf(tree, k, classes, names) {
  const n = tree.samples[k];
  const points = n === 1 ? "1 point" : `${n} points`;
  const value = tree.value[k];
  if (!classes) return `${shown(value[0])} (${points})`;
  const most = classes[value.indexOf(Math.max(...value))];
  return `${names?.classes?.[most] ?? `class ${most}`} (${points})`;
}
