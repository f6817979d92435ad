import math, cmath, statistics
from math import sqrt, pi, exp, log

print(
    sqrt(2),
    pi,
    exp(1),
    log(10),
    math.log2(8),
    math.log10(100),
    math.log1p(0),
    math.floor(2.7),
    math.ceil(2.1),
    math.trunc(-2.7),
)
print(
    math.sin(pi / 2),
    math.atan2(1, 1),
    math.hypot(3, 4),
    math.degrees(pi),
    math.radians(180),
    math.factorial(5),
    math.comb(5, 2),
    math.perm(5, 2),
)
print(
    math.gcd(12, 18),
    math.lcm(4, 6),
    math.isclose(0.1 + 0.2, 0.3),
    math.isnan(math.nan),
    math.inf,
    math.prod([1, 2, 3]),
    math.dist([0, 0], [3, 4]),
)
print(
    math.tanh(1),
    math.erf(0.5),
    math.gamma(5),
    math.fsum([0.1] * 10),
    math.copysign(1, -2),
    math.modf(2.5),
    math.frexp(8.0),
    math.isqrt(17),
    math.tau,
)
print(
    statistics.mean([1, 2, 3, 4]),
    statistics.median([3, 1, 2]),
    statistics.stdev([1, 2, 3]),
    statistics.mode([1, 1, 2]),
    statistics.pvariance([1, 2]),
)
print(cmath.sqrt(-1), cmath.phase(1j), abs(3 + 4j), (1 + 2j) * (3 - 1j), complex("1+2j").conjugate())
