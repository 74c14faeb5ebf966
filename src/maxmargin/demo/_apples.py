"""Write the bundled table: ``python -m maxmargin.demo._apples``. The numbers are made up, by this code and one seed.

An apple of this world keeps over the winter or it does not. As it ripens, starch turns into sugar: it keeps if the two
are in step, and does not if one is ahead of the other, which no straight line and no single column can say. It keeps
the better the firmer it was picked; late varieties keep longer; a bruise spoils many, and so does a warm store. Weight
and orchard have nothing to do with it. Some measurements are missing, and one answer in 13 is another than these rules
would give.
"""

from __future__ import annotations

import csv
import datetime
from pathlib import Path

import numpy as np

ROWS, SEED = 600, 7
PLACE = Path(__file__).with_name("apples.csv")
HEADER = (
    "crate", "picked", "variety", "orchard", "season", "weight_g", "firmness_n", "sugar_brix", "starch", "bruised",
    "storage_c", "keeps",
)  # fmt: skip
VARIETIES = {"Amber Early": -0.9, "Kirton Red": -0.2, "Long Russet": 0.4, "Winterling": 0.7}
ORCHARDS = ("Hill, north side", "Hill, south side", "Mill Lane", 'Old "Abbey" wall')
FIRST_DAY = datetime.date(2023, 8, 21)


def rows() -> list[tuple[str, ...]]:
    """The rows of the table as text, in the order of picking."""
    rng = np.random.default_rng(SEED)
    day = np.sort(rng.integers(0, 62, ROWS))
    variety = np.minimum(3, np.maximum(0, (day / 18 + rng.normal(0, 0.9, ROWS)).astype(int)))
    orchard = rng.integers(0, len(ORCHARDS), ROWS)
    weight = rng.normal(165, 24, ROWS) - 6 * (orchard == 3)
    firmness = rng.normal(74, 9, ROWS) - 0.16 * day + 3 * (variety == 2)
    sugar = rng.normal(11.2, 1.5, ROWS) + 0.03 * day
    starch = np.clip(np.round(4.8 - 0.4 * (sugar - 12.1) + rng.normal(0, 1.2, ROWS), 1), 0, 10)
    bruised = rng.random(ROWS) < 0.14
    storage = np.round(rng.choice([1.0, 1.5, 2.0, 4.0, 6.0], ROWS) + rng.normal(0, 0.15, ROWS), 1)
    out_of_step = (sugar - 12.1) / 1.6 + (starch - 4.8) / 1.3
    keeping = (
        1.3
        - 1.4 * out_of_step**2
        + 0.1 * (firmness - 68)
        + np.array(list(VARIETIES.values()))[variety]
        - 2.0 * bruised
        - 0.25 * (storage - 2)
    )
    keeps = keeping + rng.logistic(0, 0.2, ROWS) > 0

    def numbers(values: np.ndarray, form: str, missing: float) -> list[str]:
        gone = rng.random(ROWS) < missing
        return ["" if g else format(v, form) for v, g in zip(values, gone, strict=True)]

    columns = [
        [f"C{1001 + k}" for k in range(ROWS)],
        [str(FIRST_DAY + datetime.timedelta(days=int(d))) for d in day],
        [list(VARIETIES)[v] for v in variety],
        [ORCHARDS[o] for o in orchard],
        ["2023"] * ROWS,
        numbers(weight, ".0f", 0.0),
        numbers(firmness, ".1f", 0.04),
        numbers(sugar, ".1f", 0.05),
        numbers(starch, ".1f", 0.0),
        ["yes" if b else "no" for b in bruised],
        numbers(storage, ".1f", 0.02),
        ["yes" if k else "no" for k in keeps],
    ]
    return list(zip(*columns, strict=True))


def write(path: Path = PLACE) -> None:
    """Write the table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows())


if __name__ == "__main__":
    write()
