"""What the threads that grow one tree do together: histograms of many rows, and parting many rows.

A job is a stretch of rows in portions of fixed size. One thread grows the tree and publishes the jobs; others take
portions of them (see `maxmargin.engine`). Histograms are sums of whole numbers and rows keep their order, so that
nothing depends on who has done what.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine import BOARD_SIZE, PATIENCE, dismiss, done, jit, jit_inner, new_board, publish, rest, take, wait
from ._packed import Packed
from ._sums import fill

# Rows of a portion; jobs of fewer updates (of a nanosecond each) are not worth another thread, which may be held up.
PORTION, _WORTH = 8192, 400_000
_FILL, _PART, _PLACE = 0, 1, 2
# Places of the description of a job.
_KIND, _START, _END, _SLOT, _COLUMN, _MIDDLE = range(6)


class Team(NamedTuple):
    """What threads share while a tree is grown.

    `order` are the rows in the order of the nodes, `hists` the histograms of waiting nodes, one a line; a helper adds
    to a line of `own` if ``joined`` says that it has begun. `side` says of each code of the column of a split whether
    it goes left, `lefts` how many rows of a portion do.
    """

    order: np.ndarray
    spare: np.ndarray
    pairs: np.ndarray
    hists: np.ndarray
    own: np.ndarray
    joined: np.ndarray
    side: np.ndarray
    lefts: np.ndarray
    job: np.ndarray
    board: np.ndarray
    helpers: int


def new_team(n: int, entries: int, slots: int, pairs: np.ndarray, helpers: int) -> Team:
    """Memory for a tree of n rows."""
    return Team(
        order=np.arange(n, dtype=np.uint32),
        spare=np.empty(n, dtype=np.uint32),
        pairs=pairs,
        hists=np.empty((slots, 2 * entries), dtype=np.int64),
        own=np.empty((max(1, helpers), 2 * entries), dtype=np.int64),
        joined=np.zeros(max(1, helpers), dtype=np.int64),
        side=np.zeros(256, dtype=np.uint8),
        lefts=np.zeros(n // PORTION + 2, dtype=np.int64),
        job=np.zeros(8, dtype=np.int64),
        board=new_board(),
        helpers=helpers,
    )


def end_team(team: Team) -> None:
    """Let helpers go, whatever has become of the one that leads."""
    team.board[:BOARD_SIZE] = -1


@jit_inner
def _portion(team: Team, packed: Packed, place: int, helper: int) -> None:
    """Do one portion of the job."""
    job = team.job
    start = job[_START] + place * PORTION
    end = min(start + PORTION, job[_END])
    if job[_KIND] == _FILL:
        hist = team.hists[job[_SLOT]]
        if helper >= 0:
            hist = team.own[helper]
            if not team.joined[helper]:
                team.joined[helper] = 1
                for k in range(hist.size):
                    hist[k] = 0
        fill(packed, team.order, start, end, team.pairs, hist)
    elif job[_KIND] == _PART:
        team.lefts[place] = _part(team, packed, start, end)
    else:
        _place(team, place, start, end)


@jit_inner
def _part(team: Team, packed: Packed, start: int, end: int) -> Any:
    """Rows that go left to the front of the spare stretch, the others to its end, backwards; how many go left.

    Each row is written to both sides and one of the two is kept, which spares a branch that nobody can predict.
    """
    order, spare, side = team.order, team.spare, team.side
    n = np.uint64(packed.columns.size // (packed.first.size - 1))
    base = np.uint64(team.job[_COLUMN]) * n
    low, high = np.uint64(start), np.uint64(end - 1)
    for i in range(start, end):
        row = order[i]
        left = np.uint64(side[packed.columns[base + np.uint64(row)]])
        spare[low] = row
        spare[high] = row
        low += left
        high -= np.uint64(1) - left
    return np.int64(low) - start


@jit_inner
def _place(team: Team, place: int, start: int, end: int) -> None:
    """Rows of a portion from the spare stretch to where they belong, in their order."""
    left, right = team.job[_START], team.job[_MIDDLE]
    for k in range(place):
        left += team.lefts[k]
        right += PORTION - team.lefts[k]
    lefts = team.lefts[place]
    for i in range(lefts):
        team.order[left + i] = team.spare[start + i]
    for i in range(end - start - lefts):
        team.order[right + i] = team.spare[end - 1 - i]


@jit_inner
def _run(team: Team, packed: Packed, updates: int) -> None:
    """Have the job done, together if it is large."""
    size = team.job[_END] - team.job[_START]
    portions = (size + PORTION - 1) // PORTION
    if team.helpers == 0 or portions < 2 or updates < _WORTH:
        for place in range(portions):
            _portion(team, packed, place, -1)
        return
    publish(team.board, portions)
    while True:
        place = take(team.board)
        if place < 0:
            break
        _portion(team, packed, place, -1)
        done(team.board)
    wait(team.board)


@jit
def help_out(team: Team, packed: Packed, helper: int) -> None:
    """Take portions of whatever is published, until there will be no more."""
    tries = 0
    while True:
        place = take(team.board)
        if place == -2:
            return
        if place >= 0:
            _portion(team, packed, place, helper)
            done(team.board)
            tries = 0
            continue
        tries += 1
        if tries > PATIENCE:
            rest()


@jit_inner
def fill_together(team: Team, packed: Packed, start: int, end: int, slot: int) -> None:
    """Write the histogram of a stretch of rows."""
    hist = team.hists[slot]
    for k in range(hist.size):
        hist[k] = 0
    for k in range(team.joined.size):
        team.joined[k] = 0
    team.job[_KIND], team.job[_START], team.job[_END], team.job[_SLOT] = _FILL, start, end, slot
    _run(team, packed, (end - start) * (packed.first.size - 1))
    for helper in range(team.joined.size):
        if team.joined[helper]:
            other = team.own[helper]
            for k in range(hist.size):
                hist[k] += other[k]


@jit_inner
def part_together(team: Team, packed: Packed, byte: int, start: int, end: int) -> int:
    """Put the rows of a stretch that go left in front, both sides in their order; where the right ones begin."""
    team.job[_KIND], team.job[_START], team.job[_END], team.job[_COLUMN] = _PART, start, end, byte
    _run(team, packed, 4 * (end - start))
    middle = start
    for place in range((end - start + PORTION - 1) // PORTION):
        middle += team.lefts[place]
    team.job[_KIND], team.job[_MIDDLE] = _PLACE, middle
    _run(team, packed, 2 * (end - start))
    return middle


@jit_inner
def send_home(team: Team) -> None:
    """There will be no more jobs."""
    dismiss(team.board)
