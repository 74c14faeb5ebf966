"""From a table to a tuned, proven model."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ..engine import interruptible
from ..messages import ProgressEvent
from ._arguments import Arguments
from ._run import TrainingRun
from ._training import Training


@interruptible
def train(
    data: Any,
    target: str | None = None,
    *,
    model: str | Sequence[str] = "auto",
    task: str = "auto",
    C: float | None = None,
    gamma: float | None = None,
    kernel: str | None = None,
    test: float = 0.2,
    seed: int = 0,
    columns: Sequence[str] | None = None,
    kinds: dict[str, str] | None = None,
    metric: str = "auto",
    folds: int = 5,
    tuning_rows: int = 10_000,
    minutes: float | None = None,
    drop_missing_target: bool = False,
    n_jobs: int | None = None,
    memory: float = 1000,
    time: str | bool | None = None,
    group: str | None = None,
    class_weight: str | dict[Any, float] | None = "auto",
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[ProgressEvent], Any] | None = None,
) -> Training:
    """Tune, fit, prove and evaluate a model that predicts one column of a table from the others.

    Rows are held out first. The others decide what the columns are, fill in, scale and encode, and are divided into
    folds on which every candidate of every family is scored. The winner is fitted on all of them, certified, and scored
    once on the rows that were held out.

    Parameters
    ----------
    data : data frame, SparseTable or TrainingTable
        Of pandas, polars, pyarrow or another library that narwhals knows; or a LIBSVM table of
        :func:`maxmargin.tables.read_table`; or one of them as :func:`open_table` gives it, which describes it as well.
    target : str
        Name of the column to learn; not for a SparseTable, whose target is its `y`.
    model : str or list of str, default="auto"
        A family: ``"linear"``, ``"logistic"``, ``"tree"``, ``"svc"``, ``"forest"``, ``"boosting"``,
        ``"adaboost"``, ``"knn"`` for classes; ``"ridge"``, ``"linear"``, ``"tree"``, ``"svr"``, ``"forest"``,
        ``"boosting"``, ``"adaboost"``, ``"knn"`` for numbers.
        "auto" compares all of them; several that are named ("linear,forest", or a list) are compared with each other.
        By name alone: ``"kernellogistic"`` and ``"kernelperceptron"`` for classes,
        ``"leastsquares"``, ``"lasso"``, ``"elasticnet"`` and ``"kernelridge"`` for numbers.
    task : {"auto", "classification", "binary", "multiclass", "regression"}, default="auto"
        "auto": classes for text, true and false, and integers of at most 20 different values that stand for ten rows
        each on the average; else numbers.
    C, gamma : float, default=None
        Given, they are not searched for. Only with a family that has them: C with "svc", "svr", "linear" and
        "logistic", gamma with "svc" and "svr".
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default=None
        Of "svc" and "svr"; None is "rbf".
    test : float, default=0.2
        Share of rows that are held out; 0 for none.
    seed : int, default=0
        Of every draw: same table, arguments and seed, same model.
    columns : list of str, default=None
        Which to learn from; None is all but the target.
    kinds : dict of str to str, default=None
        What columns are, as in :class:`maxmargin.tables.ColumnReader`.
    metric : str, default="auto"
        ``"accuracy"``, ``"balanced accuracy"``, ``"AUC"`` (two classes), ``"log loss"``, ``"F1:LABEL"`` of one class;
        for numbers ``"R2"``, ``"MAE"``, ``"RMSE"``, ``"pinball:0.9"`` (of a quantile).
        What candidates and families are compared by. "auto" is accuracy, or balanced accuracy (the mean recall of the
        classes) where one class has 90 % of the training rows or more; R2 for numbers. By balanced accuracy, classes
        weigh alike in training, too.
    folds : int, default=5
        Of the cross-validation.
    tuning_rows : int, default=10_000
        The most training rows that are cross-validated on; of more, so many are drawn, and all families are compared on
        the same. The winner is fitted on all training rows.
    minutes : float, default=None
        Time for tuning. Families are tried from the quickest on, and those that have no time left are left out. The
        result then depends on the speed of the machine. The final fit is not cut short: it would prove nothing. Only
        that of "svc" and "svr" of more than 50,000 rows is, after as many minutes again (30 by default): it says
        between what bounds the exact optimum lies.
    drop_missing_target : bool, default=False
        Leave out rows without a target, instead of refusing them.
    n_jobs : int, default=None
        Threads; None is all cores.
    memory : float, default=1000
        MB for kernel values.
    time : str or False, default=None
        Name of a column by which rows are in the order of time: the last rows are held out, and each fold is judged by
        what came after its training rows. None: a column of dates that orders the table is taken for it, which is said
        among the findings. False: rows are independent, and are drawn at random.
    group : str, default=None
        Name of a column whose values tell groups apart, such as patients: rows of one group stay on one side of every
        split. It is not learnt from, unless `kinds` says what it is.
    class_weight : {"auto", "balanced"}, dict or None, default="auto"
        What the classes weigh in training. "balanced": alike, however many rows they have; a dict from labels to
        weights of their rows, 1 for those that it does not name; None: each row the same. "auto" is "balanced" where
        balanced accuracy is compared, else None. Families that take no such weights are left out.
    resume : str or path, default=None
        A file that keeps what has been tuned. If it is there, and of the same table and arguments, families that were
        finished are not tuned again. It is removed when the training is done.
    progress : callable, default=None
        Called with events: `Stage`, `Candidate`, `Judged`, `Fitting`.

    Returns
    -------
    Training

    Raises
    ------
    TrainingError
        For data and arguments that cannot be used, with what would do. (``maxmargin.tables.TableError`` for columns.)
    TrainingInterrupted
        On Ctrl-C: a KeyboardInterrupt with the families that were finished.

    Notes
    -----
    Rows that are equal in all columns that are learnt from stay on one side of every split. Copies of the target,
    columns that predict it alone, identifiers, labels that differ only in case or spaces, and columns that are
    distributed differently in the held-out rows are named in ``findings``: nothing is left out because of them.

    The preparation is fitted once, on all training rows, and not again in every fold. It never looks at the target and
    never at a held-out row, so that the held-out scores are clean; a fold's test rows have had a part in the medians,
    means and levels, which biases nothing that matters and lets all candidates of a kernel machine share one matrix.
    Scores of the winner on the folds are those of the best of many, and therefore a little too good; the held-out ones
    are not.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from maxmargin.training import train
    >>> table = load_wine(as_frame=True).frame
    >>> training = train(table, "target", model="linear")
    >>> training.task, training.scores["accuracy"].value > 0.9
    ('multiclass', True)
    >>> print(training.certificate.status)
    converged

    """
    given = Arguments(
        model, task, C, gamma, kernel, test, seed, columns, kinds, metric, folds, tuning_rows, minutes,
        drop_missing_target, n_jobs, memory, time, group, class_weight, resume,
    )  # fmt: skip
    given.check()
    return TrainingRun(given, target, progress).run(data)
