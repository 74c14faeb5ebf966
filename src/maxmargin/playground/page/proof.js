// The proof: the interval of the optimum, the bar that closes, what else is certified.

import { $, make, shown } from "./dom.js";
import { problemName } from "./steps.js";
import { asText } from "./tree.js";

const DIGITS = 10;
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Both ends of an interval with the digits that agree, which are proven. */
export function agreed(low, high) {
  const [a, b] = [low, high].map((v) => shown(v, DIGITS));
  const [size, other] = [a, b].map((text) => [text.split(/[.e]/)[0].length, text.split("e")[1]].join());
  let same = 0;
  if (size === other) while (same < a.length && a[same] === b[same]) same++;
  return [a, b].map((text) => [text.slice(0, same), text.slice(same)]);
}

const DEFINITE = {
  fails: "The kernel matrix has negative eigenvalues, so nothing bounds the optimum from below.",
  assumed: "The bound from below holds if the kernel matrix has no negative eigenvalues, which is assumed and not shown.",
};

function figure(name, value, digits = 6) {
  const text = shown(value, digits);
  return make("div", { class: "figure" }, make("dt", {}, name), make("dd", { "data-figure": name, "data-value": String(value) }, text));
}

const CLOSED = { converged: "proven", stationary: "stationary", "budget exhausted": "still open", interrupted: "interrupted", stalled: "stalled", refuted: "refuted" };

export function showProof(answer, names, place = $("#proof")) {
  const { certificate } = answer.header;
  if (!certificate) {
    place.replaceChildren(make("p", { class: "soft" }, "This method has no certificate."));
    return;
  }
  place.replaceChildren(...(certificate.type === "gap" ? gap(answer, names) : guarantee(answer)), ...others(answer, names));
}

function gap({ header }, names) {
  const { certificate } = header;
  const { dual, primal, relative_gap: relative, status } = certificate;
  const [low, high] = agreed(dual, primal);
  const good = status === "converged";
  const share = typeof relative !== "number" ? 0 : relative <= 0 ? 1 : Math.min(1, Math.max(0, -Math.log10(relative) / 12));
  const bar = make("div", { class: "bar", role: "meter", "aria-label": "How far the gap has closed", "aria-valuemin": "0", "aria-valuemax": "12", "aria-valuenow": (12 * share).toFixed(1) });
  const inner = make("span");
  inner.style.width = `${100 * share}%`;
  bar.append(inner);
  const end = (name, [same, rest], key, value) =>
    make("div", { class: "end" }, make("span", { class: "soft" }, name), make("output", { "data-figure": key, "data-value": String(value) }, make("b", {}, same), rest));
  return [
    make("div", { class: "verdict" }, make("span", { class: `chip ${good ? "good" : "open"}` }, CLOSED[status] ?? status), make("span", { class: "soft" }, words(relative))),
    bar,
    make("div", { class: "interval" }, end("dual, from below", low, "dual", dual), make("span", { class: "between" }, "≤ optimum ≤"), end("primal, from above", high, "primal", primal)),
    certificate.definiteness === "fails" || certificate.definiteness === "assumed" ? make("p", { class: "note" }, DEFINITE[certificate.definiteness]) : null,
    certificate.problems.length > 1 ? make("p", { class: "soft small" }, `The worst of ${certificate.problems.length} problems: ${problemName(certificate.label, names)}`) : null,
    make("dl", { class: "figures" }, figure("gap", certificate.gap), figure("relative gap", relative), figure("KKT violation", certificate.kkt_violation), figure("steps of the solver", certificate.iterations, 8)),
  ].filter(Boolean);
}

function words(relative) {
  if (typeof relative !== "number") return "";
  if (relative <= 0) return "the gap is zero";
  const power = Math.floor(-Math.log10(relative));
  if (power < 1) return "the gap is wide open";
  return `known to 1 part in 10${[...String(power)].map((digit) => RAISED[digit]).join("")}`;
}

function guarantee({ header }) {
  const { certificate } = header;
  const { claims, holds } = certificate;
  const [word, kind] = claims === "proof" ? (holds ? ["proven", "good"] : ["does not hold", "open"]) : claims === "estimate" ? ["an estimate", "open"] : ["nothing claimed", "open"];
  return [
    make("div", { class: "verdict" }, make("span", { class: `chip ${kind}` }, word), make("span", { class: "soft" }, certificate.name)),
    make("p", { class: "statement" }, certificate.statement),
    make("dl", { class: "figures" }, ...Object.entries(certificate.figures).map(([name, value]) => figure(name, value))),
  ];
}

function others({ header }, names) {
  const list = [];
  if (header.accuracy !== undefined) list.push(figure("accuracy on these points", header.accuracy, 4));
  if (header.support !== undefined) list.push(figure("support vectors", header.support, 6));
  if (header.margin_width?.length === 1) list.push(figure("width of the margin", header.margin_width[0]));
  if (header.squared_error !== undefined) list.push(figure("mean squared error", header.squared_error), figure("R²", header.r2));
  const { pieces } = header;
  const grown = pieces.trees?.[0].left ? asText(pieces.trees[0], header, pieces.tree_count, names) : null;
  if (pieces.learners) list.push(figure("weak learners", pieces.learners.length, 6));
  if (pieces.tree_count) list.push(figure("trees", pieces.tree_count, 6));
  else if (pieces.trees) list.push(figure("leaves", pieces.trees[0].leaves, 6), figure("depth", pieces.trees[0].depth, 6));
  const notes = header.notes.map((note) => make("p", { class: "note" }, note));
  return [list.length ? make("dl", { class: "figures rule" }, ...list) : null, ...notes, grown].filter(Boolean);
}
