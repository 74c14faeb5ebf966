"""From a fitted model and rows to its page."""

from __future__ import annotations

import html
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..engine import cached_property, whole_file
from ..svm import is_large
from ._data import data_section, data_words
from ._making import preparation_section, reproduce_section, tuning_section
from ._model import approximation_words, model_words, parameters_of, weights_of, with_article
from ._pictures import draw_pictures
from ._proof import agree, proof_section, proven_words, recompute
from ._render import render, require_extras
from ._result import result_section
from ._samples import samples_section
from ._subject import (
    BINARY,
    CLUSTERS,
    MULTICLASS,
    ONE_CLASS,
    REGRESSION,
    Rows,
    Subject,
    account_of,
    column_names,
    of_another_table,
    parted,
    rows_of,
    task_of,
    unwrapped,
    whole_rows,
)
from ._words import listed, plural, shortened


@dataclass(frozen=True, repr=False)
class Report:
    """A page about a fitted model; made by `report` or a model's own method ``report``.

    Attributes
    ----------
    data : dict
        All that the page says, section by section, as plain texts, numbers, lists and dicts: ready for JSON.
    pictures : dict of str to str
        The SVG of each picture, by the names in ``data["pictures"]``.
    html : str
        The page itself: one file, without scripts, that loads nothing from anywhere.

    """

    data: dict[str, Any]
    pictures: dict[str, str] = field(default_factory=dict)

    @cached_property
    def html(self) -> str:
        """The page: one file that needs no other."""
        return render(self.data, self.pictures)

    def save(self, path: Any) -> Path:
        """Write the page; under its name there is never a part of it.

        Parameters
        ----------
        path : str or Path
            Where to; a file of that name is replaced.

        Returns
        -------
        Path

        """
        text = self.html
        with whole_file(path) as stream:
            stream.write(text.encode("utf-8"))
        return Path(path)

    def _repr_html_(self) -> str:
        # In a frame of its own: neither does its style reach the notebook, nor that of the notebook the page.
        return (
            f'<iframe title="{html.escape(self.data["title"], quote=True)}" sandbox srcdoc="'
            f'{html.escape(self.html, quote=True)}" style="width: 100%; height: 46rem; border: 0" loading="lazy">'
            "</iframe>"
        )

    def __repr__(self) -> str:
        answer = self.data["answer"]
        return "\n".join([f"Report: {self.data['title']}", *(f"  {part['words']}" for part in answer)])


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    training: Any = None,
    test: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    command: str | None = None,
) -> Report:
    """Make the page about a fitted model.

    Parameters
    ----------
    model : estimator, search, Pipeline or Training
        Fitted: one of ours, one of scikit-learn's, or a pipeline or search that ends in one.
    X : data frame, array or sparse matrix
        Rows. A `Training` has kept its own, and needs none. With the saved account of one as `training`, its whole
        table: which rows were held out is known from the account. With `test`, those that trained the model. Otherwise
        those that trained it or others: the certificate tells which.
    y : array-like, optional
        Their targets; None for clusters and one class, and where X is a table that has the target among its columns,
        by the name that `training` knows.
    training : Training or dict, optional
        Account of the training, or its ``provenance()``: how the rows were split, what was compared, and the scores.
    test : tuple of X and y, optional
        Rows kept from training, to judge the model by. Not with `training`, which has its own.
    sample_weight : array-like, optional
        The weights that it was trained with.
    title : str, optional
        Head of the page.
    feature_names, class_names : sequence of str, optional
        What to call the columns of X and the model's classes.
    command : str, optional
        What was typed to make this page; by default the code that makes the model is shown.

    Returns
    -------
    Report

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.report import report
    >>> from maxmargin.svm import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> page = report(SVC().fit(X, y), X, y)
    >>> page.data["certificate"]["state"]
    'confirmed'
    >>> page.save("report.html")  # doctest: +SKIP

    """
    require_extras()
    if training is None and hasattr(model, "provenance") and hasattr(model, "model"):
        model, training = model.model, model
    if training is not None and test is not None:
        raise ValueError(
            "test is for models without a record of their training; this training held rows out itself: leave test out."
        )
    account = account_of(training)
    check_is_fitted(model)
    known = _known_rows(training, X, y)
    if X is None and known is None:
        raise ValueError("X is needed: this model has not kept the rows that it was trained on.")
    rows, account = _rows(task_of(model), account, X, y, test) if known is None else (known, account)
    subject, found, why_not = _subject(model, rows, sample_weight, feature_names, class_names)
    claim = getattr(subject.estimator, "certificate_", None)
    data = _sections(subject, account, _proof(subject, claim, found, why_not), command)
    pictures, notes = draw_pictures(subject, account)
    data |= {
        "title": title or _title(subject, account),
        "pictures": [picture.facts() for picture in pictures],
        "notes": notes,
    }
    return Report(data, {picture.name: picture.svg for picture in pictures})


@dataclass(frozen=True)
class _Parts:
    """All rows, those that trained (None if that is not known) and those that judge, kept from training or not."""

    task: str
    whole: Rows
    trained: Rows | None
    judged: Rows
    held_out: bool | None


def _known_rows(training: Any, X: Any, y: Any) -> _Parts | None:
    """The parts of the rows of a training that has kept them; None for other rows than those."""
    known = getattr(training, "rows", None)
    if known is None or y is not None or not (X is None or X is known.table.given):
        return None
    trained = Rows(known.X_train, known.y_train, known.split.train_rows)
    aside = Rows(known.X_test, known.y_test, known.split.test_rows)
    return _parts(training.task, whole_rows(known.table, known.target), trained, aside)


def _parts(task: str, whole: Rows, trained: Rows, aside: Rows) -> _Parts:
    held_out = len(aside) > 0
    return _Parts(task, whole, trained, aside if held_out else trained, held_out)


def _rows(task: str, account: Mapping[str, Any], X: Any, y: Any, test: Any) -> tuple[_Parts, Mapping[str, Any]]:
    """The rows in their parts, and of the account what is true of them."""
    if account:
        whole = rows_of(account, X, y)
        parts = parted(account, whole)
        if parts is None:
            return _Parts(task, whole, None, whole, None), of_another_table(account)
        return _parts(task, whole, *parts), account
    whole = Rows.of(X, None if task == CLUSTERS else y, "y")
    if whole.y is None and task in (BINARY, MULTICLASS, REGRESSION):
        raise ValueError(f"y is needed: a model for {task} is judged by targets; got None.")
    if test is None:
        return _Parts(task, whole, None, whole, None), account
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise ValueError("test must be a pair of rows and targets kept from training, (X, y).")
    X_test, y_test = test
    return _Parts(task, whole, whole, Rows.of(X_test, y_test, "test"), True), account


def _subject(
    model: Any, rows: _Parts, sample_weight: Any, feature_names: Any, class_names: Any
) -> tuple[Subject, Any, str]:
    """What the page is about, and the certificate recomputed on the rows that trained it, if these are known.

    Rows of which it is not known whether they trained the model are those of the fit if its certificate comes out the
    same on them.
    """
    estimator, steps, search = unwrapped(model)
    guess = Subject(
        model=model,
        estimator=estimator,
        steps=steps,
        search=search,
        task=rows.task,
        trained=rows.whole if rows.trained is None else rows.trained,
        judged=rows.judged,
        held_out=rows.held_out,
        whole=rows.whole,
        names=column_names(rows.whole.X, feature_names),
        class_names=_class_names(model, rows.task, class_names),
        sample_weight=sample_weight,
    )
    claim = getattr(estimator, "certificate_", None)
    assert guess.trained is not None
    found, why_not = recompute(claim, guess.trained_as_seen, guess.trained.y, sample_weight)
    if rows.trained is not None:
        return guess, found, why_not
    if found is not None and agree(claim, found):
        return replace(guess, held_out=False), found, ""
    return replace(guess, trained=None), None, why_not


def _class_names(model: Any, task: str, given: Any) -> tuple[str, ...]:
    if task not in (BINARY, MULTICLASS):
        return ()
    classes = np.asarray(model.classes_)
    if given is None:
        return tuple(str(label) for label in classes.tolist())
    names = [str(name) for name in given]
    if isinstance(given, str) or len(names) != len(classes):
        raise ValueError(f"class_names must have a name for each of the {len(classes)} classes; got {given!r}.")
    return tuple(names)


def _sections(
    subject: Subject, account: Mapping[str, Any], proof: dict[str, Any], command: str | None
) -> dict[str, Any]:
    data = data_section(subject, account)
    preparation = preparation_section(subject, account)
    result = result_section(subject, account)
    findings = [
        {"words": str(found["words"]), "serious": bool(found.get("serious", True))}
        for found in account.get("findings") or ()
    ]
    serious = [found for found in findings if found["serious"]]
    return {
        "task": subject.task,
        "answer": [
            {"name": "Trained", "words": _trained_words(subject, account)},
            {"name": "Result", "words": result["words"]},
            {"name": "Proof", "words": proven_words(proof), "state": proof["state"]},
            {"name": "Not proven", "words": unproven_words(subject, len(serious))},
        ],
        "findings": findings,
        "model": {
            "class": type(subject.estimator).__name__,
            "words": model_words(subject.estimator),
            "method": approximation_words(subject.estimator),
            "parameters": parameters_of(subject.estimator),
            "weights": weights_of(subject),
        },
        "data": data | {"words": data_words(data)},
        "preparation": preparation,
        "tuning": tuning_section(subject, account),
        "result": result,
        "certificate": proof,
        "samples": samples_section(subject, preparation["dropped"]),
        "reproduce": reproduce_section(subject.model, account, command, subject.whole.y is not None),
        "versions": {name: version(name) for name in ("maxmargin", "scikit-learn", "numpy", "numba")}
        | {"Python": platform.python_version()},
    }


def unproven_words(subject: Subject, serious: int) -> str:
    """What the certificate does not say, and what does."""
    if subject.task in (CLUSTERS, ONE_CLASS):
        return "That new rows are like these. A certificate speaks of the training rows alone."
    start = "How it will do on new rows. A certificate speaks of the training rows alone; "
    if not subject.held_out:
        return f"{start}no rows that are known to be new were given to measure it."
    against = f", unless the {plural(serious, 'finding')} above {'speaks' if serious == 1 else 'speak'} against it"
    return f"{start}the rows kept from training speak for rows that come as they did{against if serious else ''}."


def _proof(subject: Subject, claim: Any, found: Any, why_not: str) -> dict[str, Any]:
    return proof_section(claim, found, why_not, subject.trained, bracket=is_large(subject.estimator))


def _trained_words(subject: Subject, account: Mapping[str, Any]) -> str:
    words = with_article(model_words(subject.estimator)) + _chosen(subject)
    purpose = _purpose(subject, account.get("target"))
    rows = subject.trained
    if rows is None:
        return f"This is {words}, trained{purpose}; the rows that trained it were not given."
    on = f"{plural(len(rows), 'row')} of {plural(len(subject.names), 'column')}"
    return f"{words[:1].upper()}{words[1:]} was trained on {on}{purpose}."


def _chosen(subject: Subject) -> str:
    """The parameters that a search is mostly about."""
    known = parameters_of(subject.estimator)
    shown = [
        f"{name} = {known[name]}" for name in ("C", "nu", "gamma", "alpha", "max_depth", "ccp_alpha") if name in known
    ]
    return f" ({', '.join(shown)})" if shown else ""


def _purpose(subject: Subject, target: Any) -> str:
    few = [shortened(name, 30) for name in subject.class_names] if len(subject.class_names) <= 4 else []
    if target is not None:
        return f" to predict “{shortened(target, 60)}”" + (f" ({' or '.join(few)})" if few else "")
    if subject.classifies:
        return f" to tell {f'the classes {listed(few)}' if few else f'{len(subject.class_names)} classes'} apart"
    return {REGRESSION: " to predict values", CLUSTERS: " to find groups"}.get(subject.task, " to find outliers")


def _title(subject: Subject, account: Mapping[str, Any]) -> str:
    words = model_words(subject.estimator)
    if account.get("target") is not None:
        return f"Predicting {shortened(account['target'], 60)}"
    return words[:1].upper() + words[1:]
