"""Writes mannwhitney_scipy.json: two-sided Mann-Whitney p-values by scipy.

Run with scipy 1.17.1:  python3 mannwhitney_scipy.py > mannwhitney_scipy.json
Without ties method="exact"; with ties, and sizes beyond the exact limits of
package stats, method="asymptotic" (tie and continuity correction).
"""
import json
import random

from scipy.stats import mannwhitneyu

r = random.Random(20260101)
cases = []


def case(x, y, method):
    s = mannwhitneyu(x, y, alternative="two-sided", method=method)
    cases.append({"x": x, "y": y, "u": s.statistic, "p": s.pvalue, "method": method})


for n, m in [(1, 1), (1, 5), (2, 3), (3, 3), (4, 4), (5, 5), (5, 8), (6, 6), (7, 9), (8, 8), (10, 10), (10, 20), (12, 12), (15, 15), (20, 20), (25, 30), (30, 30), (40, 50)]:
    for shift in (0, 0.5, 2):
        pool = r.sample(range(100000), n + m)
        x = [v / 100000 for v in pool[:n]]
        y = [v / 100000 + shift / 4 for v in pool[n:]]
        if len(set(x + y)) == n + m:
            case(x, y, "exact")
for n, m in [(31, 31), (40, 40), (100, 60), (20, 100)]:
    for shift in (0, 1, 3):
        case([float(r.randint(1, 30)) for _ in range(n)], [float(r.randint(1, 30) + shift) for _ in range(m)], "asymptotic")
for n, m in [(101, 100), (200, 150)]:
    for shift in (0, 0.05):
        case([r.random() for _ in range(n)], [r.random() + shift for _ in range(m)], "asymptotic")
print(json.dumps(cases))
