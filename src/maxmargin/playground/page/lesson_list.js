// The lessons: what each says, where it begins, and when its task is done.
//
// `least` points have to be there and the parameters of `keep` have to be as they are: a task is about one thing.
// `done` sees { method, points, header, answer, failure, point, course, memo, value }; what it has to remember it keeps
// in `memo`.

const wide = ({ header }) => header?.margin_width?.[0] ?? 0;
const share = ({ header, answer }) => (answer ? header.support / answer.count : 0);
const each = (points, least) => [0, 1].every((k) => points.filter((p) => p[2] === k).length >= least);

export const LESSONS = [
  {
    title: "The margin",
    text: [
      "Many lines separate these two groups. The support vector machine takes the one with the widest margin; the dashed lines are the margin boundaries.",
      "Only the ringed points, the support vectors, hold it in place. Delete any other point and nothing moves.",
    ],
    task: "Move or delete points until the margin is at least 3 wide, with five or more points left in each class.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: "inf" }, preset: "two" },
    least: 10,
    keep: { kernel: "linear", C: "inf" },
    done: (it) => it.method === "svc" && wide(it) >= 3 && each(it.points, 5),
    progress: (it) => (wide(it) ? `the margin is ${wide(it).toFixed(2)} wide` : ""),
  },
  {
    title: "Slack and C",
    text: [
      "One point lies among those of the other class. A soft margin lets it, and pays C for each unit of slack. The thin lines are the slack.",
      "A small C gives a wide margin with many points inside it, a large C a narrow margin with few.",
    ],
    task: "Find a C for which more than half of the points are support vectors.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: 100 }, preset: "outlier" },
    least: 40,
    keep: { kernel: "linear" },
    done: (it) => it.method === "svc" && share(it) > 0.5,
    progress: (it) => (it.header?.support ? `${it.header.support} of ${it.answer.count} points are support vectors` : ""),
  },
  {
    title: "The hard margin, and when there is none",
    text: [
      "With C at infinity no slack is allowed. If a line separates the classes, the fit is exact.",
      "If none does, that is proven too: some weighted mean of one class is also a weighted mean of the other, and no line can have that place on both of its sides.",
    ],
    task: "Drag one point into the middle of the other group, so that the page says it is impossible.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: "inf" }, preset: "two" },
    least: 20,
    keep: { kernel: "linear", C: "inf" },
    done: (it) => it.method === "svc" && it.failure?.kind === "impossible",
  },
  {
    title: "Kernels",
    text: [
      "No line separates a ring from what is inside it. A kernel measures how similar two points are, and the machine finds its margin in a space where this similarity is an inner product.",
      "A polynomial of degree 2 can draw circles and ellipses; the RBF kernel can draw any shape.",
    ],
    task: "Choose a kernel that gets at least 97 of 100 points right.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: 10 }, preset: "circles" },
    least: 100,
    done: (it) => it.method === "svc" && it.header?.accuracy >= 0.97,
  },
  {
    title: "Overfitting by γ",
    text: [
      "γ says how quickly similarity falls with distance. If it is large, each point has a small island of its own: all points are right, and nothing has been learned about the places between them.",
      "The certificate stays perfect. It proves that the problem was solved, not that it was the right problem.",
    ],
    task: "Raise γ until nine of ten points are support vectors and all points are right.",
    start: { task: "classes", method: "svc", params: { kernel: "rbf", gamma: 1, C: 100 }, preset: "moons" },
    least: 100,
    keep: { kernel: "rbf" },
    done: (it) => it.method === "svc" && share(it) >= 0.9 && it.header.accuracy === 1,
    progress: (it) => (it.header?.support ? `${it.header.support} of ${it.answer.count} points are support vectors` : ""),
  },
  {
    title: "Duality, and three cases",
    text: [
      "The dual objective is never above the optimum, and the primal never below it. Where they meet, the optimum is proven, whoever computed it.",
      "At the optimum each point is in one of three cases: beyond the margin boundary with α = 0, on it with α between 0 and C, or inside the margin with α = C.",
    ],
    task: "Look at one point of each case: hover over it, or press n in the picture.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: 0.1 }, preset: "outlier" },
    done: (it) => {
      const alpha = it.point === null || it.method !== "svc" ? undefined : it.answer?.arrays.multiplier?.[it.point];
      const C = it.value("C");
      if (alpha === 0) it.memo.zero = true;
      else if (alpha === C) it.memo.full = true;
      else if (alpha > 0) it.memo.free = true;
      return Boolean(it.memo.zero && it.memo.full && it.memo.free);
    },
    progress: ({ memo }) => `${["zero", "free", "full"].filter((k) => memo[k]).length} of 3 cases seen`,
  },
  {
    title: "A few points per step, or all of them",
    text: [
      "Stochastic gradient descent looks at a few points before each step. It starts fast and never quite settles. The gradient of all points costs more per step and moves smoothly.",
      "Open Step by step below the picture and compare how the curves come together.",
    ],
    task: "Look at the steps of SGD. Then choose “gradient of all points” under Steps of, and look at those.",
    start: { task: "classes", method: "gradient", params: { direction: "plain" }, preset: "two" },
    done: (it) => {
      const way = it.value("direction");
      if (it.method === "gradient" && it.course && way === "gradient_descent") it.memo.all = true;
      if (it.method === "gradient" && it.course && way === "plain") it.memo.few = true;
      return Boolean(it.memo.few && it.memo.all);
    },
    progress: ({ memo }) => `${["few", "all"].filter((k) => memo[k]).length} of 2 ways seen`,
  },
  {
    title: "The perceptron's bound",
    text: [
      "Each mistake moves the line. If some line separates the classes, the perceptron makes at most (R / γ)² mistakes, in whatever order the points come: R is the size of the data, γ the margin.",
      "The certificate shows both numbers.",
    ],
    task: "Move the groups closer together, or one point closer to the other group, until the bound is at least 100 and still holds.",
    start: { task: "classes", method: "perceptron", params: { max_iter: 1000 }, preset: "two" },
    least: 20,
    done: (it) => it.method === "perceptron" && it.header?.certificate.holds && it.header.certificate.figures.bound >= 100,
  },
  {
    title: "Neighbours, and the few that are enough",
    text: [
      "The nearest-neighbour rule keeps all points. Condensing keeps only those that it needs to get all the others right: the ringed ones, along the border.",
      "Points deep within a class are not needed.",
    ],
    task: "Erase or move points at the border until 6 prototypes are enough for 40 points or more, ten or more of each class.",
    start: { task: "classes", method: "condensed", params: {}, preset: "moons" },
    least: 40,
    done: (it) => it.method === "condensed" && each(it.points, 10) && it.header?.pieces.prototypes.length <= 6,
    progress: (it) => (it.header?.pieces.prototypes ? `${it.header.pieces.prototypes.length} prototypes for ${it.answer.count} points` : ""),
  },
  {
    title: "k-means against normalised cuts",
    text: [
      "k-means looks for round clusters around centres, so it cuts both rings in half. Normalised cuts look for groups that hold together, and cut where the links are weakest.",
      "Their certificate shows the cut that was found, and a bound that no cut can be below.",
    ],
    task: "Choose normalised cuts, and a γ for which each ring is one cluster.",
    start: { task: "clusters", method: "kmeans", params: { n_clusters: 2 }, other: { ncut: { gamma: 0.3, n_clusters: 2 } }, preset: "rings" },
    least: 100,
    done: (it) => {
      const found = it.method === "ncut" ? it.answer?.arrays.predicted : null;
      if (!found) return false;
      const pairs = new Set(it.points.map((p, k) => `${p[2]} ${found[k]}`));
      return pairs.size === 2 && new Set(found).size === 2;
    },
  },
  {
    title: "From a tree to a forest",
    text: [
      "A tree asks about one coordinate at a time. If it is deep enough, it gets all points right, with a jagged border that fits this sample and no other.",
      "A forest lets many such trees vote, each grown from points drawn at random, so that the jags cancel out.",
    ],
    task: "Let a tree grow until all points are right, then use a forest of 100 trees or more.",
    start: { task: "classes", method: "tree", params: { max_depth: 2 }, other: { forest: { max_depth: 20, n_estimators: 20 } }, preset: "moons" },
    least: 100,
    done: (it) => {
      if (it.method === "tree" && it.header?.accuracy === 1) it.memo.tree = true;
      if (it.method === "forest" && it.header?.pieces.tree_count >= 100) it.memo.forest = true;
      return Boolean(it.memo.tree && it.memo.forest);
    },
    progress: ({ memo }) => (memo.tree ? "the tree is done" : ""),
  },
  {
    title: "Boosting",
    text: [
      "A stump is right only a little more often than a coin. AdaBoost trains one stump after another, each mostly on the points that the earlier ones got wrong, and lets them vote.",
      "As long as each is better than a coin, the bound on the training error falls in every round.",
    ],
    task: "Raise the number of rounds until all points are right.",
    start: { task: "classes", method: "adaboost", params: { n_estimators: 3 }, preset: "circles" },
    least: 100,
    keep: { estimator: "stump" },
    done: (it) => it.method === "adaboost" && it.header?.accuracy === 1,
    progress: (it) => (it.method === "adaboost" && it.header ? `${(100 * it.header.accuracy).toFixed(0)} % of the points are right` : ""),
  },
];
