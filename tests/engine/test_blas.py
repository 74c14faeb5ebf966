"""BLAS held to one thread, and given back. Each case runs in a Python of its own: the setting is the process's."""

import pytest

_SETUP = """
import threading
from maxmargin.engine import one_blas_thread
from threadpoolctl import threadpool_info

def blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

before = blas()
"""


@pytest.fixture
def check_blas(run_python):
    def check(script):
        run_python(_SETUP + script, OPENBLAS_NUM_THREADS="2", MKL_NUM_THREADS="2", BLIS_NUM_THREADS="2")

    return check


def test_one_thread_inside_and_the_old_number_after(check_blas):
    check_blas("""
with one_blas_thread():
    assert set(blas()) <= {1}, blas()
assert blas() == before, (before, blas())
""")


def test_given_back_after_an_exception(check_blas):
    check_blas("""
try:
    with one_blas_thread():
        raise KeyError
except KeyError:
    pass
assert blas() == before, (before, blas())
""")


def test_every_thread_can_hold_it(check_blas):
    check_blas("""
with one_blas_thread():
    pass
inside = []

def work():
    with one_blas_thread():
        inside.extend(blas())

thread = threading.Thread(target=work)
thread.start()
thread.join(60)
assert set(inside) <= {1}, inside
assert blas() == before, (before, blas())
""")


def test_overlapping_holders_give_the_users_number_back(check_blas):
    """The first one in is the first one out: it must neither take the limit away nor restore it wrongly."""
    check_blas("""
entered, leave = threading.Event(), threading.Event()

def work():
    with one_blas_thread():
        entered.set()
        leave.wait(60)

thread = threading.Thread(target=work)
with one_blas_thread():
    thread.start()
    assert entered.wait(60)
assert set(blas()) <= {1}, blas()
leave.set()
thread.join(60)
assert blas() == before, (before, blas())
""")


def test_a_child_forked_while_a_thread_holds_it_has_the_users_number(check_blas):
    check_blas("""
import os
import sys

if not hasattr(os, "fork"):
    sys.exit(0)
entered, leave = threading.Event(), threading.Event()

def work():
    with one_blas_thread():
        entered.set()
        leave.wait(60)

thread = threading.Thread(target=work)
thread.start()
assert entered.wait(60)
child = os.fork()
if not child:
    inside = []
    with one_blas_thread():
        inside = blas()
    os._exit(0 if blas() == before and set(inside) <= {1} else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
leave.set()
thread.join(60)
with one_blas_thread():  # held by the thread that forks
    child = os.fork()
    if not child:
        if blas() != before:
            os._exit(1)
if not child:
    os._exit(0 if blas() == before else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert blas() == before, (before, blas())
""")
