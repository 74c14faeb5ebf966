"""Peak memory: the input, `cache_size`, and a small term; whatever the cache, the same model."""

import json
import sys

import pytest

# What a fit may take beyond input and cache: panels, tiles of each thread, vectors of length n, compiled code.
SMALL_TERM_MB = 80

SCRIPT = """
import json
import numpy as np
from maxmargin.svm import SVC

def resident(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1e3 for line in file if line.startswith(field))

rng = np.random.default_rng(0)
X = rng.normal(size=({n}, {d}))
y = (np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size={n}) > 0).astype(int)
machine = SVC(C=2.0, gamma=0.3 / {d}, cache_size={cache}, kernel={kernel!r}, n_jobs=2)
machine.fit(X[:1500], y[:1500])  # compiles: float64 for small ones
machine.fit(X[:2500], y[:2500])  # and float32 for large ones
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # forget the peak so far
before = resident("VmRSS")
machine.fit(X, y)
print(json.dumps({{"peak": resident("VmHWM") - before, "dual": machine.certificate_.dual,
    "status": str(machine.certificate_.status), "support": int(machine.n_support_.sum())}}))
"""


@pytest.fixture(scope="module")
def fitted(run_python):
    """A function: what a fit with this cache took and gave, in a process of its own."""

    def run(cache, d, n=9000, kernel="rbf"):
        return json.loads(run_python(SCRIPT.format(cache=cache, d=d, n=n, kernel=kernel)).stdout)

    return run


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from Linux's /proc")
@pytest.mark.parametrize("d", [10, 200], ids=["cheap kernel", "dear kernel"])
def test_peak_memory_is_bounded_by_the_cache(fitted, d):
    results = {cache: fitted(cache, d) for cache in (20, 60, 200)}
    for cache, result in results.items():
        assert result["status"] == "converged"
        assert result["peak"] <= cache + SMALL_TERM_MB, results
    duals = [result["dual"] for result in results.values()]
    assert max(duals) - min(duals) <= 1e-4 * max(duals), results
