"""Importing the package: cheap, silent, and lazy."""

import pytest

import maxmargin


def test_import_loads_nothing_heavy_and_prints_nothing(run_python):
    done = run_python("""
        import sys
        import maxmargin
        heavy = {"numba", "sklearn", "scipy", "numpy"} & set(sys.modules)
        if heavy:
            sys.exit(f"import maxmargin has loaded {sorted(heavy)}")
    """)
    assert done.stdout == ""
    assert done.stderr == ""


def test_rooms_load_on_first_use(run_python):
    done = run_python("""
        import sys
        import maxmargin
        assert "maxmargin.svm" not in sys.modules
        print(maxmargin.svm.SVC.__name__)
        assert "maxmargin.svm" in sys.modules
    """)
    assert done.stdout == "SVC\n"


def test_a_kernel_machine_loads_no_room_that_it_does_not_need(run_python):
    done = run_python("""
        import sys
        from maxmargin.svm import SVC
        print(*sorted({name.split(".")[1] for name in sys.modules if name.startswith("maxmargin.")}))
        from maxmargin.svm import LinearSVC, SVCCV
        print("maxmargin.linear" in sys.modules, "maxmargin.search" in sys.modules)
    """)
    rooms, later = done.stdout.splitlines()
    assert not {"linear", "search", "bounds", "tree", "report", "plotting", "cli", "compile"} & set(rooms.split())
    assert later == "True True"


def test_dir_lists_the_rooms():
    assert set(dir(maxmargin)) == set(maxmargin.__all__)
    for name in maxmargin.__all__:
        assert getattr(maxmargin, name) is not None


def test_unknown_room_is_named():
    with pytest.raises(AttributeError, match="attic"):
        maxmargin.attic  # noqa: B018


def test_every_public_name_exists():
    for room in maxmargin._ROOMS:
        module = getattr(maxmargin, room)
        for name in module.__all__:
            assert hasattr(module, name), f"maxmargin.{room}.{name}"
