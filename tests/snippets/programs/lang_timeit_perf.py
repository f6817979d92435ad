import timeit
import time
import torch

x = torch.randn(16, 16)


def mul():
    return x @ x


seconds = timeit.timeit(mul, number=5)
print(seconds > 0, len(timeit.repeat(mul, repeat=3, number=2)), timeit.timeit(lambda: mul(), number=1) >= 0)
start = timeit.default_timer()
mul()
print(timeit.default_timer() - start >= 0)
t0 = time.perf_counter()
mul()
t1 = time.perf_counter()
print(t1 >= t0, time.time() > 1e9, time.monotonic() > 0, time.process_time() >= 0, len(time.strftime("%Y-%m-%d")))
time.sleep(0.01)
begin = time.time_ns()
print(
    time.time_ns() >= begin,
    isinstance(time.localtime().tm_year, int),
    time.strftime("%H:%M:%S", time.gmtime(3661)),
    len(time.ctime()) > 10,
)
print(f"{time.gmtime(0).tm_year}", time.asctime(time.gmtime(0)))
