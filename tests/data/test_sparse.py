"""Sparse matrices of any form: what comes out is canonical and the same table, or an error that names what is wrong."""

import ast
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import maxmargin
from maxmargin.data import Rows, canonical, check_array, check_X_y, csr_rows

from .odd_matrices import imprint, malformed, odd, table

SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_form_becomes_the_same_canonical_table(seed):
    rng = np.random.default_rng(seed)
    X = table(rng, int(rng.integers(1, 12)), int(rng.integers(1, 9))).astype(rng.choice([np.float64, np.float32, int]))
    M, _ = odd(X, rng)
    before = imprint(M)
    out = canonical(M)
    fresh = type(out)((out.data, out.indices, out.indptr), shape=out.shape)  # without the flags
    assert fresh.has_canonical_format and fresh.has_sorted_indices
    assert out.dtype == M.dtype and out.indices.dtype == out.indptr.dtype == np.int32
    np.testing.assert_array_equal(out.toarray(), X)
    assert out.format == ("csc" if M.format == "csc" else "csr")
    assert isinstance(out, sp.spmatrix) == isinstance(M, sp.spmatrix)
    assert imprint(M) == before


@pytest.mark.parametrize("seed", SEEDS)
def test_arrays_that_do_not_fit_together_are_refused(seed):
    rng = np.random.default_rng(seed)
    M, _ = malformed(table(rng, 9, 6) + np.eye(9, 6), rng)
    for look in (canonical, csr_rows, Rows, lambda M: check_array(M, accept_sparse=True)):
        with pytest.raises(ValueError, match=r"X.* is not a valid sparse matrix; build it again"):
            look(M)
    with pytest.raises(ValueError, match="not a valid sparse matrix"):
        check_X_y(M, np.zeros(9), accept_sparse=True)


def changed(**arrays):
    X = sp.csr_array(np.tile([0.0, 1.0, 2.0], (4, 10)))
    for name, array in arrays.items():
        setattr(X, name, array)
    return X


def with_one(array, at, value):
    array = array.copy()
    array[at] = value
    return array


WHOLE = changed()


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        (
            {"indices": with_one(WHOLE.indices, 63, 100_000_000)},
            "X.indices holds 100000000 in row 3, and X has 30 columns: indices from 0 to 29 would do.",
        ),
        ({"indices": with_one(WHOLE.indices, 5, -5)}, "X.indices holds -5 in row 0, and X has 30 columns"),
        ({"indptr": with_one(WHOLE.indptr, 1, 70)}, "X.indptr falls from 70 to 40 at row 1, and must not fall"),
        ({"indptr": with_one(WHOLE.indptr, 0, 2)}, "X.indptr starts with 2, and must start with 0"),
        ({"indptr": with_one(WHOLE.indptr, 4, 90)}, "X.indptr ends with 90, and X.indices has length 80"),
        ({"indptr": WHOLE.indptr[:-1]}, "X.indptr has length 4, and X has 4 rows: it must be 5"),
        ({"data": WHOLE.data[:-1]}, "X.indptr ends with 80, and X.data has length 79"),
        ({"indices": WHOLE.indices / 2}, "X.indices is an array of float64 with 1 dimensions"),
    ],
)
def test_errors_say_what_was_found_and_where(arrays, words):
    with pytest.raises(ValueError) as error:
        canonical(changed(**arrays))
    assert words in str(error.value)


def test_a_canonical_matrix_is_not_copied():
    X = sp.csr_array(np.eye(3))
    out = canonical(X)
    assert np.shares_memory(out.data, X.data) and np.shares_memory(out.indices, X.indices)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", [">f8", object, "U9"])
def test_values_that_scipy_cannot_handle_become_numbers(form, dtype):
    X = sp.csr_array(np.eye(3) * 2.5).asformat(form)
    X.data = X.data.astype(dtype)
    out = canonical(X)
    assert out.dtype == np.float64 and out.dtype.isnative
    assert out.tocsr().toarray().tolist() == (np.eye(3) * 2.5).tolist()
    X.data = np.array(["2.5", "x", None], dtype=object)
    with pytest.raises(ValueError, match=r"X\.data holds values that are not numbers"):
        canonical(X)


def test_arrays_with_gaps_become_contiguous():
    X = sp.csr_array(np.eye(3))
    X.data, X.indices, X.indptr = (np.repeat(array, 2)[::2] for array in (X.data, X.indices, X.indptr))
    out = canonical(X)
    assert all(array.flags.c_contiguous for array in (out.data, out.indices, out.indptr))
    assert out.toarray().tolist() == np.eye(3).tolist()


def test_stored_zeros_stay():
    X = sp.csr_array((np.array([0.0, 1.0, -1.0]), np.array([2, 1, 1]), np.array([0, 3])), shape=(1, 4))
    assert canonical(X).indices.tolist() == [1, 2]


def test_more_columns_than_indices_of_32_bits_can_tell_apart():
    X = sp.csr_array((np.ones(1), np.array([2**32], dtype=np.int64), np.array([0, 1])), shape=(1, 2**33))
    with pytest.raises(ValueError, match="X has 8589934592 columns, and no more than 2147483647 are supported"):
        canonical(X)


def test_what_has_one_dimension_is_refused():
    with pytest.raises(ValueError, match="X is a sparse array of 1 dimensions"):
        canonical(sp.coo_array(np.array([1.0, 0.0, 2.0])))


def test_names_in_messages():
    X = changed(indices=with_one(WHOLE.indices, 0, 99))
    with pytest.raises(ValueError, match=r"init\.indices holds 99 in row 0, and init has 30 columns"):
        check_array(X, accept_sparse=True, input_name="init")


def test_no_room_checks_matrices_by_scikit_learn_alone():
    """Its functions trust the structure of sparse matrices; those of `maxmargin.data` have the same names."""
    root, found = Path(maxmargin.__file__).parent, []
    for path in root.rglob("*.py"):
        if path.parent.name == "data":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                names = {alias.name for alias in node.names} & {"validate_data", "check_array", "check_X_y"}
                found += [f"{path.relative_to(root)}: {name}" for name in names]
    assert not found


@pytest.mark.parametrize("dtype", [np.float16, object])
def test_split_entries_of_types_that_scipy_cannot_add(dtype):
    split = sp.csr_array((np.array([1, 2, 3], dtype=dtype), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    found = canonical(split)
    assert found.has_canonical_format
    assert found.toarray().astype(float).tolist() == [[3.0, 0.0], [0.0, 3.0]]
