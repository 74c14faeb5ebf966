"""Colours that all eyes tell apart, and the plane that a picture is drawn in."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgb

from maxmargin.plotting._features import names_of, plane_for, table_of
from maxmargin.plotting._look import COLOURS, MARKERS, colour, marker, padded, pale

# Machado, Oliveira and Fernandes (2009): what is left of linear red, green and blue without one kind of cones
EYES = {
    "all cones": np.eye(3),
    "no long wave cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no middle wave cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "no short wave cones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}


def lab(name, eye):
    rgb = np.array(to_rgb(name))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(eye) @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ seen / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", EYES)
def test_any_two_colours_are_told_apart(eye):
    seen = [lab(name, EYES[eye]) for name in COLOURS]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) >= 20


def test_colour_and_marker_together_name_many_clusters():
    assert len({(colour(k), marker(k)) for k in range(len(COLOURS) * len(MARKERS))}) == 56


def test_regions_are_pale_and_white_without_strength():
    np.testing.assert_allclose(pale(0, [0.0, 1.0]), [[1, 1, 1], 1 - 0.2 * (1 - np.array(to_rgb(COLOURS[0])))])


def test_ends_of_axes_are_beyond_all_points():
    (left, right), (bottom, top) = padded(np.array([[0.0, 5.0], [10.0, 5.0]]))
    assert left < 0 and right > 10
    assert bottom < 5 < top  # no extent of its own, but room all the same
    assert padded(np.zeros((3, 2))) == ((-1, 1), (-1, 1))


def test_columns_by_number_and_by_name():
    X = np.random.default_rng(0).normal(size=(20, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    by_name = plane_for(table_of(frame), ("d", "b"), names_of(frame), "This")
    by_number = plane_for(X, (3, 1), None, "This")
    assert by_name.names == ("d", "b")
    assert by_number.names == ("feature 3", "feature 1")
    np.testing.assert_array_equal(by_name.project(X), X[:, [3, 1]])
    np.testing.assert_array_equal(by_number.project(X), X[:, [3, 1]])
    # the point of the plane with coordinates (5, 7): the other features are at their means
    mean = X.mean(axis=0)
    corner = by_number.origin + np.array([5.0, 7.0]) @ by_number.axes
    np.testing.assert_allclose(corner, [mean[0], 7, mean[2], 5])
    assert by_number.section_of == 4


def test_distances_of_rows_from_the_origin_of_the_plane():
    X = np.random.default_rng(0).normal(size=(20, 4))
    plane = plane_for(X, (0, 1), None, "This")
    expected = np.square(X - plane.origin).sum(axis=1)
    np.testing.assert_allclose(plane.squares(X), expected)
    np.testing.assert_allclose(plane.squares(sp.csr_array(X)), expected)


def test_principal_plane():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 9.0, 3.0]
    plane = plane_for(X, "principal", None, "This")
    assert plane.names[0].startswith("principal component 1 (")
    assert plane_for(X, None, None, "This").names == plane.names  # what is drawn of more than two columns
    assert abs(plane.axes[0, 1]) > 0.95


@pytest.mark.parametrize(
    ("columns", "features", "names", "message"),
    [
        (1, None, None, r"This draws in a plane, which needs two features or more; X has 1\."),
        (3, ("x", "w"), ["x", "y", "z"], r"features has 'w', which is no column of X; there are x, y, z\."),
        (3, ("x", "y"), None, r"features has the name 'x', but X has no names; use numbers from 0 to 2\."),
        (3, (0, 3), None, r"features must be names or numbers of columns from 0 to 2; got 3\."),
        (3, (0, -1), None, r"columns from 0 to 2; got -1\."),
        (3, (0, True), None, r"columns from 0 to 2; got True\."),
        (3, (1, 1), None, r"features must be two different columns; got 1 twice\."),
        (3, (0, 1, 2), None, r"features must be two columns or 'principal'; got \(0, 1, 2\)\."),
        (3, 2, None, r"features must be two columns or 'principal'; got 2\."),
        (3, "pca", None, r"features must be two columns or 'principal'; got 'pca'\."),
    ],
)
def test_refusals_name_what_would_do(columns, features, names, message):
    with pytest.raises(ValueError, match=message):
        plane_for(np.ones((5, columns)), features, names, "This")


def test_rows_must_be_a_table():
    with pytest.raises(ValueError, match=r"a table of shape \(n_samples, n_features\); got 1 dimension\(s\)"):
        table_of([1.0, 2.0])
