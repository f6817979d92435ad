"""What `make bench` compares computes the same: each contender that needs nothing but the program, on each workload, in
a process of its own as there. Only the times are left to the benchmark."""

import sys

import pytest

from benchmarks.__main__ import check, present


@pytest.mark.parametrize("name", ["engine", "recording", "sending", "beyond"])
def test_a_contender_finds_the_losses_and_gradients_of_numpy(name):
    contenders = present({name: sys.executable, "numpy": sys.executable})
    try:
        assert [each.name for each in contenders] == [name, "numpy"]
        check(contenders, contenders[-1])
    finally:
        for each in contenders:
            each.close()


def test_what_finds_another_gradient_is_refused():
    contenders = present({"engine": sys.executable, "numpy": sys.executable})
    engine, floor = contenders
    try:
        engine.check("small_mlp")  # which trains: from here on it is a round ahead
        with pytest.raises(SystemExit, match=r"^engine finds another loss or gradient than NumPy in small_mlp\.$"):
            check(contenders, floor)
    finally:
        for each in contenders:
            each.close()
