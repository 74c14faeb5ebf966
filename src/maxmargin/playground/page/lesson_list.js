// The lessons: what each says, where it begins, and when its task is done.
//
// `done` sees { app, answer, cases, memo, method, header, value }; what it has to remember it keeps in `memo`.

const wide = ({ header }) => header?.margin_width?.[0] ?? 0;
const share = ({ header, answer }) => (answer ? header.support / answer.count : 0);

export const LESSONS = [
  {
    title: "The margin",
    text: [
      "Many lines separate these two groups. The support vector machine takes the one with the widest margin: the dashed lines are the margin boundaries.",
      "Only the ringed points, the support vectors, hold it there. Delete any other one, and nothing moves.",
    ],
    task: "Move or delete points until the margin is at least 3 wide, with five or more points in each class.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: "inf" }, preset: "two" },
    done: (it) => it.method === "svc" && wide(it) >= 3 && [0, 1].every((k) => it.points.filter((p) => p[2] === k).length >= 5),
  },
  {
    title: "Slack, and its price C",
    text: [
      "One point lies with the others. A hard margin would have to go around it; a soft one lets it lie inside, and pays C for each unit of slack. The thin lines are the slack.",
      "A small C makes a wide margin with many points inside, a large one a narrow margin with few.",
    ],
    task: "Find a C for which more than half of the points are support vectors.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: 100 }, preset: "outlier" },
    done: (it) => it.method === "svc" && share(it) > 0.5,
  },
  {
    title: "The hard margin, and the impossible",
    text: [
      "With C at infinity no slack is allowed. Where a line separates the classes, the fit is exact.",
      "Where none does, that is proven as well: two mixtures, one of the points of each class, are the same place, and no line can have it on both sides.",
    ],
    task: "Drag one point into the middle of the other group, so that the page says that it is impossible.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: "inf" }, preset: "two" },
    done: (it) => it.failure?.kind === "impossible",
  },
  {
    title: "Kernels",
    text: [
      "No line separates a ring from what is within. A kernel measures how alike two points are, and the machine has its margin in the space where that is an inner product.",
      "A polynomial of degree 2 knows circles; the RBF knows any shape.",
    ],
    task: "Choose a kernel by which at least 97 of 100 points are right.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: 10 }, preset: "circles" },
    done: (it) => it.method === "svc" && it.header?.accuracy >= 0.97,
  },
  {
    title: "Overfitting by γ",
    text: [
      "γ says how near is near. The larger it is, the smaller the island around each point: all points are right, and nothing has been learned about the places between them.",
      "The certificate stays perfect. It proves that the problem was solved, and not that it was the right problem.",
    ],
    task: "Raise γ until nine of ten points are support vectors and all points are right.",
    start: { task: "classes", method: "svc", params: { kernel: "rbf", gamma: 1, C: 100 }, preset: "moons" },
    done: (it) => it.method === "svc" && share(it) >= 0.9 && it.header.accuracy === 1,
  },
  {
    title: "Duality, and three cases",
    text: [
      "Each step raises the dual from below; the primal is above. Where they meet, the optimum is proven, whoever computed it.",
      "At the optimum each point is in one of three cases: outside the margin with α = 0, on the margin boundary with α between 0 and C, or inside with α = C.",
    ],
    task: "Look at one point of each case: hover over it, or press n in the picture.",
    start: { task: "classes", method: "svc", params: { kernel: "linear", C: 0.1 }, preset: "outlier" },
    done: (it) => {
      const alpha = it.point === null || it.method !== "svc" ? null : it.answer?.arrays.multiplier?.[it.point];
      const C = it.value("C");
      if (alpha === 0) it.memo.zero = true;
      else if (alpha === C) it.memo.full = true;
      else if (alpha > 0) it.memo.free = true;
      return Boolean(it.memo.zero && it.memo.full && it.memo.free);
    },
    progress: ({ memo }) => `${["zero", "free", "full"].filter((k) => memo[k]).length} of 3 cases seen`,
  },
  {
    title: "One point a step, or all of them",
    text: [
      "Stochastic gradient descent looks at a few points and takes a step; it begins fast and ends restless. The gradient of all points is dear and calm.",
      "Open Step by step below the picture and compare how the two curves close.",
    ],
    task: "Look at the steps of SGD, then at those of the gradient of all points.",
    start: { task: "classes", method: "gradient", params: { direction: "plain" }, preset: "two" },
    done: (it) => {
      if (it.method === "gradient" && it.course) it.memo[it.value("direction") === "gradient_descent" ? "all" : "few"] = true;
      return Boolean(it.memo.few && it.memo.all);
    },
    progress: ({ memo }) => `${["few", "all"].filter((k) => memo[k]).length} of 2 ways seen`,
  },
  {
    title: "The perceptron's bound",
    text: [
      "Each mistake moves the line. If some line separates the classes by a margin, the perceptron makes at most (R / γ)² mistakes, whatever the order: R is the size of the data, γ the margin.",
      "The certificate has both numbers.",
    ],
    task: "Move the groups nearer to each other, or one point nearer to the others, until the bound is at least 100 and still holds.",
    start: { task: "classes", method: "perceptron", params: { max_iter: 1000 }, preset: "two" },
    done: (it) => it.method === "perceptron" && it.header?.certificate.holds && it.header.certificate.figures.bound >= 100,
  },
  {
    title: "Neighbours, and the few that suffice",
    text: [
      "The nearest neighbour keeps all points. Condensing keeps those that are needed to give all others their class: the ringed ones, along the border.",
      "Points deep within a class are of no use to it.",
    ],
    task: "Erase or move points at the border until 6 prototypes suffice for 40 points or more.",
    start: { task: "classes", method: "condensed", params: {}, preset: "moons" },
    done: (it) => it.method === "condensed" && it.answer?.count >= 40 && it.header.pieces.prototypes.length <= 6,
  },
  {
    title: "k-means against normalised cuts",
    text: [
      "k-means looks for round clusters around centres; it cuts both rings in two. Normalised cuts look for groups that hang together, and cut where little holds them.",
      "Its certificate has the cut that was found, and a bound below which no cut can be.",
    ],
    task: "Take normalised cuts, and a γ for which each ring is one cluster.",
    start: { task: "clusters", method: "kmeans", params: { n_clusters: 2 }, other: { ncut: { gamma: 0.3, n_clusters: 2 } }, preset: "rings" },
    done: (it) => {
      const found = it.method === "ncut" ? it.answer?.arrays.predicted : null;
      if (!found || found.length < 20) return false;
      const pairs = new Set(it.points.map((p, k) => `${p[2]} ${found[k]}`));
      return pairs.size === 2 && new Set(found).size === 2;
    },
  },
  {
    title: "From a tree to a forest",
    text: [
      "A tree asks about one coordinate at a time. Deep enough, it is right on all points, with a border of corners that no other sample would have.",
      "A forest lets many such trees vote, each grown from points drawn at random: the corners cancel.",
    ],
    task: "Let a tree grow until all points are right, then take a forest of 100 trees or more.",
    start: { task: "classes", method: "tree", params: { max_depth: 2 }, other: { forest: { max_depth: 20, n_estimators: 20 } }, preset: "moons" },
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
      "A stump is right little more often than a coin. AdaBoost trains one after the other, each on the points that those before it got wrong, and lets them vote.",
      "As long as each is better than a coin, the bound on the training error falls in every round.",
    ],
    task: "Raise the number of rounds until all points are right.",
    start: { task: "classes", method: "adaboost", params: { n_estimators: 3 }, preset: "circles" },
    done: (it) => it.method === "adaboost" && it.header?.accuracy === 1,
  },
];
