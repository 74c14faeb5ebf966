"""The parts of an account: what was found, what was tried, how good it is, and what is proven.

They are made from the plain values that a model file carries, so that `train`, `check` and `info` say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

from ..messages import TextTable, counted, listed, number, parameters, percent, shortened

_COLUMNS = 30  # of the table of columns; more are counted, and --json has them all
_CLASSES = 10
_EXAMPLE = 24  # letters of an example


def data_words(source: str, summary: Mapping[str, Any]) -> str:
    """Rows, columns and classes of a table, in a sentence or two."""
    target, classes = summary["target"], summary["classes"]
    name = "standard input" if source == "-" else source
    words = f"{name}: {counted(summary['rows'], 'row')}, {counted(len(summary['columns']), 'column')}"
    if target is None:
        return words + "."
    words += f" and the target {target['name']}."
    if classes and len(classes) <= _CLASSES:
        total = max(1, sum(classes.values()))
        words += " Classes: " if target["type"] in ("text", "bool") else " Values: "
        words += ", ".join(f"{name} {count:,} ({percent(count / total)})" for name, count in classes.items())
        return words + "."
    return words + f" It has {target['distinct']:,} different values."


def data_table(summary: Mapping[str, Any]) -> TextTable:
    """What each column holds and what it is taken for."""
    rows = []
    columns = summary["columns"]
    for column in columns[:_COLUMNS]:
        kind = "left out" if column["kind"] == "drop" else column["kind"]
        example = shortened(column["example"], _EXAMPLE)
        rows.append(
            (column["name"], kind, f"{column['missing']:,}", f"{column['distinct']:,}", example, column["reason"])
        )
    if len(columns) > _COLUMNS:
        rest = columns[_COLUMNS:]
        missing = sum(column["missing"] for column in rest)
        kinds = sorted({column["kind"] for column in rest if column["kind"] != "drop"})
        rows.append((f"{len(rest):,} more", ", ".join(kinds), f"{missing:,}", "", "", ""))
    return TextTable("Columns", rows, ("", "taken for", "missing", "different", "example", ""), right=(2, 3))


def task_words(account: Mapping[str, Any]) -> str:
    """What is learnt and what it is judged by, each with its reason."""
    task = {"regression": "a number", "binary": "two classes", "multiclass": f"{len(account['classes'] or ())} classes"}
    words = f"Task: {task.get(account['task'], account['task'])}. {_sentence(account['task_reason'])}"
    return f"{words} Compared by {metric_name(account['metric'])}: {_sentence(account['metric_reason'], False)}"


def _sentence(words: str, begins: bool = True) -> str:
    words = words.rstrip(".")
    return f"{words[:1].upper() if begins else words[:1]}{words[1:]}."


def family_table(account: Mapping[str, Any]) -> TextTable:
    """The families that were compared, the best first."""
    rows = [
        (
            f"{'*' if family['chosen'] else ' '} {family['family']}",
            _with_error(family["score"], family["error"]),
            parameters(family["params"]),
            number(family["seconds"], 2),
            family["note"],
        )
        for family in account["candidates"]
    ]
    folds = account["tuning"]["folds"]
    heading = f"Tried on {account['tuning']['rows']:,} training rows in {folds} folds"
    return TextTable(
        heading, rows, ("", account["tuning"].get("metric") or account["metric"], "with", "seconds", ""), right=(3,)
    )


def _with_error(score: float | None, error: float | None) -> str:
    return "" if score is None else f"{score:.4f}" + ("" if error is None else f" ± {error:.4f}")


def metric_name(name: str) -> str:
    """What a figure is called: files of before have a mean of the classes under the name F1."""
    return {"F1": "macro F1"}.get(name, name)


def score_table(account: Mapping[str, Any]) -> TextTable:
    """The result on held-out rows beside the baseline's."""
    rows = []
    for name, score in account["scores"].items():
        low, high = score.get("low"), score.get("high")
        between = "" if low is None or high is None else f"{low:.4g} to {high:.4g}"
        constant = account["baseline"].get(name) or {}
        rows.append((metric_name(name), number(score["value"]), between, number(constant.get("value"))))
    heading = f"Judged by {counted(account['split']['test_rows'], 'row')} that were held out"
    if rows:
        rows.append(("", "", "", f"({account['baseline_name']})"))
    return TextTable(heading, rows, ("", "model", "95 % interval", "baseline"))


# What figures of a certificate are called, in the order of reading.
_FIGURES = {
    "primal": "the optimum is at most",
    "dual": "and at least",
    "relative_gap": "relative gap",
    "kkt_violation": "largest violation",
}

# Why a kernel matrix counts as positive semi-definite.
_KERNEL_MATRIX = {
    "known": "positive semi-definite",
    "shown": "positive semi-definite up to a shift: shown",
    "assumed": "positive semi-definite: assumed",
    "fails": "NOT positive semi-definite",
}


def _figure(value: float | None, show: Callable[[float, int], str] | None, digits: int = 2, of_bounds: int = 10) -> str:
    """A bound is rounded to its own side, so that what is printed is still one."""
    return number(value, digits) if show is None or value is None or isnan(value) else show(value, of_bounds)


def certificate_table(claimed: Mapping[str, Any], found: Mapping[str, Any] | None = None) -> TextTable:
    """The figures of a certificate; beside them those that were recomputed, if they were."""
    from ..certificates import rounding_of

    sides = [claimed] if found is None else [claimed, found]
    rows = [("kind", *(side["kind"] for side in sides)), ("status", *(side["status"] for side in sides))]
    if "relative_gap" in claimed:
        for key, words in _FIGURES.items():
            if key == "kkt_violation" and "method" in claimed:  # a machine that is judged by its gap alone
                continue
            show = rounding_of(key)
            rows.append((words, *(_figure(side.get(key), show) for side in sides)))
        if any(side.get("definiteness", "known") != "known" for side in sides):
            rows.append(("kernel matrix", *(_KERNEL_MATRIX[side.get("definiteness", "assumed")] for side in sides)))
        if "method" in claimed and found is None:
            rows += [("made of", str(claimed.get("made_of", ""))), ("method", claimed["method"])]
        if any(side.get("confidence", 1.0) < 1 for side in sides):
            rows.append(("lower bound", *(_kind_of_bound(side.get("confidence", 1.0)) for side in sides)))
        if claimed["problems"] > 1:
            rows.insert(1, ("problems", *(f"{side['problems']}, the worst is shown" for side in sides)))
    else:
        for key in claimed["figures"]:
            show = rounding_of(key)
            rows.append((key, *(_figure(side.get("figures", {}).get(key), show, 6, 6) for side in sides)))
    return TextTable("Certificate", rows, () if found is None else ("", "claimed", "recomputed"))


def _kind_of_bound(confidence: float) -> str:
    from ..certificates import sampled_words

    return "proven" if confidence == 1 else f"sampled: {sampled_words(confidence)}"


def certificate_words(certificate: Mapping[str, Any]) -> str:
    """What is proven, in a sentence."""
    if "relative_gap" not in certificate:
        statement = str(certificate["statement"])
        return statement[:1].upper() + statement[1:]
    if certificate["status"] == "stationary":
        return (
            "No bound: the kernel is not positive semi-definite. The optimality conditions hold, but a better model "
            "may exist anywhere."
        )
    if certificate["status"] == "converged" and "method" in certificate:
        return (
            "Proven: whatever was approximated, the optimum of the exact machine with these parameters lies between "
            f"the two, lower than this one by a fraction of {number(certificate['relative_gap'], 2)} at most."
        )
    if certificate["status"] == "converged":
        assumed = certificate.get("definiteness") == "assumed"
        proven = "Proven, if the kernel is positive semi-definite (assumed)" if assumed else "Proven"
        return (
            f"{proven}: no model with these parameters has an objective on the training rows that is lower by more "
            f"than a fraction of {number(certificate['relative_gap'], 2)}."
        )
    confidence = certificate.get("confidence", 1.0)
    by_sample = "" if confidence == 1 else f" The lower bound is {_kind_of_bound(confidence)}."
    return (
        f"Not proven to the tolerance: the fit ended as {certificate['status']}, and a better model may have an "
        f"objective that is lower by a fraction of {number(certificate['relative_gap'], 2)}.{by_sample}"
    )


def finding_words(findings: Sequence[tuple[bool, str]]) -> list[str]:
    """What endangers trust, the serious first; each with whether it is serious."""
    serious = [words for is_serious, words in findings if is_serious]
    heading = [f"BEFORE YOU TRUST THE RESULT: {counted(len(serious), 'finding')}."] if serious else []
    numbered = [f"{number}. {words}" for number, words in enumerate(serious, 1)]
    return [*heading, *numbered, *(words for is_serious, words in findings if not is_serious)]


def unproven_words(account: Mapping[str, Any]) -> str:
    """What the certificate does not say, and what does."""
    serious = sum(bool(finding.get("serious")) for finding in account.get("findings") or ())
    against = f", unless the {counted(serious, 'finding')} above {'speaks' if serious == 1 else 'speak'} against it"
    if not account["scores"]:
        return "Not proven, and not measured: how it will do on new rows. No rows were held out."
    rows = counted(account["split"]["test_rows"], "row")
    return (
        "Not proven: how it will do on new rows. A certificate speaks of the training rows alone; what the "
        f"{rows} that were held out say holds for rows that come as these did{against if serious else ''}."
    )


def model_table(account: Mapping[str, Any]) -> TextTable:
    """What a model file holds, in a line each; a file without an account of training has fewer."""
    source, split = account.get("source") or {}, account.get("split") or {}
    versions: Mapping[str, Any] = account.get("versions") or {}
    rows = [
        ("class", _class(account)),
        ("task", account.get("task")),
        ("target", account.get("target")),
        ("classes", listed(account["classes"]) if account.get("classes") else None),
        ("family", account.get("family")),
        ("parameters", parameters(_chosen(account)) or None),
        ("table", source.get("data")),
        ("trained on", counted(split["training_rows"], "row") if split else None),
        ("held out", counted(split["test_rows"], "row") if split else None),
        ("columns", _used(account.get("columns"))),
        ("created", account.get("created")),
        ("versions", ", ".join(f"{name} {number(value)}" for name, value in versions.items())),
        ("fingerprint", (account.get("fingerprint") or {}).get("data")),
    ]
    return TextTable("Model", [(name, str(value)) for name, value in rows if value is not None and value != ""])


def _class(account: Mapping[str, Any]) -> str:
    """The class of the model; of a pipeline, also of its end."""
    name = str(account.get("class", "")).rpartition(".")[2]
    steps = (account.get("parameters") or {}).get("steps") if isinstance(account.get("parameters"), Mapping) else None
    last = steps[-1][-1] if isinstance(steps, list) and steps and isinstance(steps[-1], list) and steps[-1] else None
    return (
        f"{name} to {str(last['class']).rpartition('.')[2]}" if isinstance(last, Mapping) and "class" in last else name
    )


def _chosen(account: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the search has found for the family that won."""
    return next((family["params"] for family in account.get("candidates") or () if family["chosen"]), {})


def _used(columns: Sequence[Mapping[str, Any]] | None) -> str | None:
    if not columns:
        return None
    used = [column["name"] for column in columns if column["kind"] != "drop"]
    left = [column["name"] for column in columns if column["kind"] == "drop"]
    return listed(used, 12) + (f"; left out: {listed(left)}" if left else "")
