"""Contenders that do what the tests of the runner need, imported by worker processes."""

import multiprocessing
import os
import subprocess
import sys
import time

from benchmarks.contender import Contender, peer


class Toy(Contender):
    name = "toy"

    def __init__(self, case, values):
        self.values, self.calls = values, []

    def warm_up(self):
        print("chatter on standard output is swallowed")

    def before(self, method):
        self.calls.append(method)

    def total(self, power=1):
        return sum(v**power for v in self.values)

    def seen(self):
        return list(self.calls)

    def hold(self, megabytes):
        return len(b"x" * (megabytes * 2**20))

    def sleep(self, seconds):
        time.sleep(seconds)

    def fail(self):
        raise RuntimeError("no luck\nsecond line")

    def leave(self):
        raise SystemExit(3)

    def start_process(self):
        """Its number; and whether this process may have children at all, by what joblib asks."""
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        return child.pid, not multiprocessing.current_process().daemon

    def crash(self):
        os.abort()

    def rest(self):
        time.sleep(0.01)


class Sleepy(Toy):
    name = "sleepy"

    def rest(self):
        time.sleep(60)


class Missing(Toy):
    name = "missing"

    def warm_up(self):
        peer("no_such_library")


class Lacking(Toy):
    name = "lacking"

    def warm_up(self):
        peer("math", "no_such_thing")
