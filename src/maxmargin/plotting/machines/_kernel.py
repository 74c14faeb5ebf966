"""The matrix of kernel values, ordered by class, and its spectrum."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ...data import Rows, csr_rows
from ...kernels import KERNELS, Kernel, make_kernel
from .._curve_axes import TRAINING, dress, write_title
from .._display import Display
from .._features import check_count, last_step
from .._look import INK, class_names, shortened
from .._matplotlib import Axes, given_panels, new_panels

_MOST = 600  # rows that are drawn: more than a picture has lines
_LEAST = 1e-16  # eigenvalues below, relative to the largest, are rounding errors
_WARM, _PAPER, _COOL = "#E66100", "#FFFFFF", "#0055A4"


@dataclass(kw_only=True, eq=False, repr=False)
class KernelDisplay(Display):
    """The Gram matrix of a kernel, ordered by class, beside its eigenvalues.

    A kernel that tells the classes apart shows as dark squares along the diagonal, one a class; within a class, rows
    are ordered by the leading eigenvector of their square. The spectrum says how many directions the rows take in the
    space of the kernel: a few for a smooth kernel, all of them for one so narrow that every row is like itself only.
    Eigenvalues below zero, of a kernel that is none (Mercer's condition does not hold), are drawn in orange.

    The alignment in the title is the cosine between the matrix and the one that is 1 for rows of the same class and -1
    (for more than two classes 0) for others, both centred: 1 would be a kernel that knows the labels.

    Displays are made by `from_estimator` or `from_kernel`.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Kernel values, in the order of the picture.
    label : ndarray of shape (n,)
        Number of the class of each row, ascending.

    Attributes
    ----------
    axes_ : tuple of matplotlib Axes
        Axes with the matrix and with the spectrum.
    eigenvalues : ndarray of shape (n,)
        Eigenvalues of the matrix, descending.
    alignment : float
        The cosine between the centred matrix and that of the labels.
    image_ : matplotlib AxesImage
        The matrix.
    spectrum_ : matplotlib Line2D
        The positive eigenvalues.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.plotting import KernelDisplay
    >>> from maxmargin.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> display = KernelDisplay.from_estimator(SVC().fit(X, y), X, y)
    >>> display.matrix.shape
    (150, 150)
    >>> display.figure_.savefig("kernel.png")  # doctest: +SKIP

    """

    matrix: np.ndarray
    label: np.ndarray
    classes: tuple[str, ...]
    title: str = ""

    def __post_init__(self) -> None:
        self.eigenvalues = np.linalg.eigvalsh(self.matrix)[::-1]
        self.alignment = _alignment(self.matrix, self.label, len(self.classes))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        max_rows: int = _MOST,
        class_names: Any = None,
        random_state: Any = 0,
        ax: Any = None,
    ) -> KernelDisplay:
        """Draw the kernel of a fitted machine.

        Parameters
        ----------
        estimator : SVC, another kernel machine, or Pipeline
            Fitted; of a pipeline, its last step with the rows as that sees them.
        X, y : array-like
            Rows and their classes, those of the training or others; for ``kernel="precomputed"`` the square matrix.
        max_rows, class_names, random_state, ax
            As in `from_kernel`.

        """
        check_is_fitted(estimator)
        estimator = getattr(estimator, "best_estimator_", estimator)
        model, rows, _ = last_step(estimator, X)
        model = getattr(model, "best_estimator_", model)
        if not hasattr(model, "_fitted_kernel"):
            raise TypeError(
                f"KernelDisplay draws the kernel of a kernel machine, such as maxmargin.svm.SVC; got "
                f"{type(model).__name__}. KernelDisplay.from_kernel takes a kernel by its name."
            )
        check_is_fitted(model)
        if isinstance(model.kernel, str) and model.kernel == "precomputed":
            kernel: Any = "precomputed"
        else:
            kernel = model.kernel if callable(model.kernel) else model._fitted_kernel()
        words = _in_words(model)
        return cls._of(kernel, rows, y, words, max_rows, class_names, random_state, ax)

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: Any,
        y: Any,
        *,
        gamma: float = 1.0,
        coef0: float = 0.0,
        degree: int = 3,
        max_rows: int = _MOST,
        class_names: Any = None,
        random_state: Any = 0,
        ax: Any = None,
    ) -> KernelDisplay:
        """Draw a kernel by its name.

        Parameters
        ----------
        kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable
            The kernel; a callable is called as ``kernel(X, Z)``.
        X, y : array-like
            Rows and their classes; for "precomputed" the square matrix of kernel values.
        gamma, coef0, degree
            Parameters of the kernel.
        max_rows : int, default=600
            Of more rows so many are drawn at random, of each class in proportion; the title says so.
        class_names : sequence of str, optional
            Names of the classes, in sorted order of the labels.
        random_state : int, RandomState or None, default=0
            Of the rows that are drawn.
        ax : sequence of two matplotlib Axes, optional
            Where to draw matrix and spectrum; by default in a new figure.

        """
        if not callable(kernel) and kernel not in KERNELS:
            raise ValueError(f"kernel must be one of {', '.join(sorted(KERNELS))}, or a function; got {kernel!r}.")
        words = f"kernel {kernel}" if isinstance(kernel, (str, Kernel)) else "kernel function"
        if isinstance(kernel, str) and kernel not in ("linear", "precomputed"):
            words += f", gamma = {gamma:.3g}"
        made = kernel if callable(kernel) or kernel == "precomputed" else make_kernel(kernel, gamma, coef0, degree)
        return cls._of(made, X, y, words, max_rows, class_names, random_state, ax)

    @classmethod
    def _of(
        cls, kernel: Any, X: Any, y: Any, words: str, max_rows: Any, names: Any, random_state: Any, ax: Any
    ) -> KernelDisplay:
        check_count("max_rows", max_rows, 2)
        rows = csr_rows(X) if sp.issparse(X) else np.asarray(X)
        target = np.ravel(np.asarray(y))
        if rows.shape[0] != len(target):
            raise ValueError(f"X has {rows.shape[0]} rows, but y has {len(target)}; each row needs its class.")
        found, label = np.unique(target, return_inverse=True)
        shown = class_names(found) if names is None else tuple(str(name) for name in names)
        if isinstance(names, str) or len(shown) != len(found):
            raise ValueError(f"class_names must have a name for each of the {len(found)} classes; got {names!r}.")
        chosen = _sample(label, int(max_rows), random_state)
        K = _values(kernel, rows, chosen)
        order = _order(K, label[chosen])
        display = cls(matrix=K[np.ix_(order, order)], label=label[chosen][order], classes=shown)
        part = f", {len(chosen)} of {len(target)} rows drawn at random" if len(chosen) < len(target) else ""
        display.title = f"{words[0].upper()}{words[1:]}{part}. {display._facts()}"
        return display.plot(ax=ax)

    def _facts(self) -> str:
        n = len(self.matrix)
        positive = np.maximum(self.eigenvalues, 0.0)
        many = int(np.searchsorted(np.cumsum(positive), 0.95 * positive.sum()) + 1) if positive.any() else 0
        text = f"{many} of {n} directions hold 95 % of its trace; alignment with the labels {self.alignment:.2f}."
        negative = int((self.eigenvalues < -_noise(self.eigenvalues)).sum())
        return text + (f" {negative} eigenvalues are negative: it is no kernel." if negative else "")

    def _new_panels(self) -> tuple[Any, ...]:
        panels = new_panels(11.0, 6.0, 1, 2, width_ratios=(1.35, 1))
        title = textwrap.fill(self.title, 118)
        panels[0].figure.suptitle(title, x=0.01, ha="left", fontsize="medium", color=INK)
        return panels

    def _given_panels(self, ax: Any) -> tuple[Any, ...]:
        panels = given_panels(ax, (2,), "two axes, for the matrix and for the spectrum")
        write_title(panels[0], self.title)
        return panels

    def _draw(self) -> None:
        self._draw_matrix(self.axes_[0])
        self._draw_spectrum(self.axes_[1])

    def _draw_matrix(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        n, K = len(self.matrix), self.matrix
        low, high = float(K.min()), float(K.max())
        shades = [_PAPER, _COOL] if low >= 0 else [_WARM, _PAPER, _COOL]
        reach = max(abs(low), abs(high)) or 1.0
        bounds = (0.0, reach) if low >= 0 else (-reach, reach)
        cmap = LinearSegmentedColormap.from_list("kernel", shades)
        self.image_ = ax.imshow(
            K, cmap=cmap, vmin=bounds[0], vmax=bounds[1], interpolation="nearest", extent=(0, n, n, 0)
        )
        ends = np.concatenate([[0], np.cumsum(np.bincount(self.label, minlength=len(self.classes)))])
        for end in ends[1:-1].tolist():
            ax.axhline(end, color=INK, linewidth=0.8)
            ax.axvline(end, color=INK, linewidth=0.8)
        self._name_classes(ax, ends)
        bar = ax.figure.colorbar(self.image_, ax=ax, location="bottom", shrink=0.8, aspect=30, pad=0.02)
        bar.set_label("kernel value")
        bar.outline.set_visible(False)

    def _name_classes(self, ax: Axes, ends: np.ndarray) -> None:
        """Names beside the squares, of those that are large enough for a line of text."""
        n, sizes = ends[-1], np.diff(ends)
        named = [k for k in range(len(sizes)) if sizes[k] >= 0.035 * n]
        middles = (ends[:-1] + ends[1:]) / 2
        ax.set_yticks(middles[named], labels=[shortened(self.classes[k], 18) for k in named])
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.set_xlabel(f"{n} rows, by class")

    def _draw_spectrum(self, ax: Axes) -> None:
        values = self.eigenvalues
        noise = _noise(values)
        number = np.arange(1, len(values) + 1)
        good, bad = values > noise, values < -noise
        (self.spectrum_,) = ax.plot(
            number[good], values[good], color=TRAINING, linewidth=1.6, marker="o", markersize=2.5, zorder=3
        )
        if bad.any():
            ax.plot(number[bad], -values[bad], color=_WARM, linewidth=0, marker="v", markersize=3.5, zorder=3)
            ax.text(
                0.04, 0.04, "▾ below zero: its size", color=_WARM, ha="left", va="bottom", transform=ax.transAxes,
                fontsize="small",
            )  # fmt: skip
        ax.set_yscale("log")
        if len(values) > 30:
            ax.set_xscale("log")
        ax.set(xlabel="number of the eigenvalue", ylabel="eigenvalue")
        dress(ax)


def _in_words(model: Any) -> str:
    if callable(model.kernel):
        return f"kernel {model.kernel!r}" if isinstance(model.kernel, Kernel) else "kernel function"
    words = f"kernel {model.kernel}"
    return words if model.kernel in ("linear", "precomputed") else f"{words}, gamma = {model._gamma:.3g}"


def _noise(values: np.ndarray) -> float:
    return float(_LEAST * len(values) * np.abs(values).max(initial=0.0))


def _sample(label: np.ndarray, most: int, random_state: Any) -> np.ndarray:
    """Rows to draw: all, or so many at random, of each class in proportion and one at least."""
    from sklearn.utils import check_random_state

    n = len(label)
    if n <= most:
        return np.arange(n)
    random = check_random_state(random_state)
    counts = np.bincount(label)
    shares = np.maximum(1, np.floor(counts * most / n)).astype(int)
    parts = [random.permutation(np.flatnonzero(label == k))[: shares[k]] for k in range(len(counts))]
    return np.sort(np.concatenate(parts))


def _values(kernel: Any, rows: Any, chosen: np.ndarray) -> np.ndarray:
    """The symmetric matrix of the chosen rows, in float64."""
    if isinstance(kernel, str):  # a matrix of values
        if rows.ndim != 2 or rows.shape[0] != rows.shape[1]:
            raise ValueError(f"X must be the square matrix of a precomputed kernel; got shape {rows.shape}.")
        K = np.asarray(rows, dtype=np.float64)[np.ix_(chosen, chosen)]
    elif hasattr(kernel, "gram"):
        if rows.ndim != 2:
            raise ValueError(f"X must be a table of shape (n_samples, n_features); got shape {rows.shape}.")
        numbers = rows[chosen].astype(np.float64)
        data = Rows(numbers if sp.issparse(numbers) else np.ascontiguousarray(numbers))
        K = np.array(kernel.gram(data, None, 1).whole(np.float64))
    else:
        K = np.asarray(kernel(rows[chosen], rows[chosen]), dtype=np.float64)
    if not np.isfinite(K).all():
        raise ValueError("the kernel has values that are not finite for this X; scale it.")
    return (K + K.T) / 2


def _order(K: np.ndarray, label: np.ndarray) -> np.ndarray:
    """By class; within one, along the leading eigenvector of its square."""
    parts = []
    for k in range(label.max() + 1):
        mine = np.flatnonzero(label == k)
        block = K[np.ix_(mine, mine)]
        # about its mean: the leading direction of a positive matrix is the mean itself, which orders nothing
        block = block - block.mean(axis=0) - block.mean(axis=1)[:, None] + block.mean()
        leading = np.linalg.eigh(block)[1][:, -1]
        parts.append(mine[np.argsort(leading * np.sign(leading[np.argmax(np.abs(leading))]), kind="stable")])
    return np.concatenate(parts)


def _alignment(K: np.ndarray, label: np.ndarray, classes: int) -> float:
    """Cosine between two centred matrices (Cortes, Mohri and Rostamizadeh 2012)."""
    same = (label[:, None] == label[None]).astype(np.float64)
    target = 2 * same - 1 if classes == 2 else same
    a, b = _centred(K), _centred(target)
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return float((a * b).sum() / size) if size > 0 else 0.0


def _centred(K: np.ndarray) -> np.ndarray:
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
