"""Writes kendall_scipy.json: Kendall's tau-b of values with their order.

Run with scipy 1.17.1:  python3 kendall_scipy.py > kendall_scipy.json
"""
import json
import random

from scipy.stats import kendalltau

r = random.Random(7)
cases = []
for n in (8, 9, 12, 20, 50, 200):
    for values in (4, 1000):
        x = [float(r.randint(1, values)) for _ in range(n)]
        cases.append({"x": x, "tau": kendalltau(range(n), x).statistic})
print(json.dumps(cases))
