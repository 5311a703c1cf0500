"""Oracle values for the tests of package stats.

    python3 -m venv v && v/bin/pip install numpy scipy && v/bin/python oracle.py > oracle.json

Signed-rank p-values without ties come from scipy; with ties and zeros from an
exact count with Python's integers, which shares no code or idea with the Go
implementation (a dictionary of sums, no table, no floating point).
"""
import json, sys
from fractions import Fraction
import numpy as np
from scipy import stats

rng = np.random.default_rng(20260101)

def exact(x):
    a = np.abs(x)
    ranks2 = [int(2 * (a < v).sum() + (a == v).sum() + 1) for v in a]  # doubled mid-ranks
    kept = [(r, v > 0) for r, v in zip(ranks2, x) if v != 0]
    total = sum(r for r, _ in kept)
    plus = sum(r for r, up in kept if up)
    counts = {0: 1}
    for r, _ in kept:
        new = dict(counts)
        for w, k in counts.items():
            new[w + r] = new.get(w + r, 0) + k
        counts = new
    low = sum(k for w, k in counts.items() if w <= min(plus, total - plus))
    return min(Fraction(1), Fraction(2 * low, 2 ** len(kept))), plus / 2, (total - plus) / 2

cases = []
for n in [1, 2, 3, 5, 8, 11, 15, 20, 28, 30, 40, 50]:
    for shift in [0, 0.3, 1.0]:
        x = rng.standard_normal(n) + shift
        cases.append(dict(kind="scipy", x=x.tolist(), p=float(stats.wilcoxon(x, method="exact").pvalue)))
    for grain in [0.25, 1.0]:
        x = np.round((rng.standard_normal(n) + 0.4) / grain) * grain
        p, plus, minus = exact(x)
        cases.append(dict(kind="count", x=x.tolist(), p=float(p), plus=plus, minus=minus))

quantiles = []
for n in [1, 2, 5, 10, 37]:
    x = rng.exponential(size=n)
    ps = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1]
    quantiles.append(dict(x=x.tolist(), p=ps, q=[float(np.quantile(x, p)) for p in ps],
                          mad=float(stats.median_abs_deviation(x))))

# Order-statistic intervals: the ranks (from 1) that scipy's binomial gives; 0 is infinite.
intervals = []
for n in [3, 6, 10, 40, 200]:
    for p in [0.5, 0.9]:
        b = stats.binom(n, p)
        lo = max([k + 1 for k in range(n) if b.cdf(k) <= 0.025], default=0)
        hi = min([k + 1 for k in range(n) if b.sf(k) <= 0.025], default=0)
        intervals.append(dict(n=n, p=p, lo=lo, hi=hi))

p = rng.random(12) ** 3
adjust = dict(p=p.tolist(), bh=stats.false_discovery_control(p).tolist())
json.dump(dict(signedrank=cases, quantiles=quantiles, intervals=intervals, adjust=adjust), sys.stdout, indent=None)
