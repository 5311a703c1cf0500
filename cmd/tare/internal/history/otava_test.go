package history

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// eDivisive names the changes of a series by the rule of Apache Otava 0.8
// (Fleming, Kołaczkowski and others, Hunter: Using Change Point Detection to
// Hunt for Performance Regressions, ICPE 2023): E-divisive with Student's t
// test in windows, then a merge of the weak changes.
func eDivisive(y []float64, window int, maxP float64) []int {
	weak := []int{}
	for start := 0; start < len(y); {
		end := min(start+window, len(y))
		last := 0
		for _, k := range splitWindow(y[start:end], 10*maxP) {
			k += start
			last = k
			if !slices.Contains(weak, k) {
				weak = append(weak, k)
			}
		}
		start = max(last, start+window/2)
	}
	slices.Sort(weak)
	// The p-value of a weak change is kept until a neighbor is removed.
	p := make([]float64, len(weak))
	for i := range weak {
		p[i] = sidesP(y, weak, i)
	}
	for len(weak) > 0 {
		worst := 0
		for i := range p {
			if p[i] > p[worst] {
				worst = i
			}
		}
		if p[worst] < maxP {
			break
		}
		weak, p = slices.Delete(weak, worst, worst+1), slices.Delete(p, worst, worst+1)
		for _, i := range []int{worst, worst + 1} {
			if i < len(weak) {
				p[i] = sidesP(y, weak, i)
			}
		}
	}
	return weak
}

// splitWindow finds the changes of one window, in ascending order.
func splitWindow(y []float64, maxP float64) (changes []int) {
	for {
		best, most := -1, math.Inf(-1)
		bounds := slices.Concat([]int{0}, changes, []int{len(y)})
		for i := range bounds[1:] {
			if bounds[i+1]-bounds[i] > 1 {
				if k, q := dissimilar(y[bounds[i]:bounds[i+1]]); q > most {
					best, most = k+bounds[i], q
				}
			}
		}
		if best < 0 {
			return changes
		}
		next := append(slices.Clone(changes), best)
		slices.Sort(next)
		if !(sidesP(y, next, slices.Index(next, best)) <= maxP) {
			return changes
		}
		changes = next
	}
}

// sidesP tests the two sides of a change, which reach to its neighbors.
func sidesP(y []float64, changes []int, i int) float64 {
	from, to := 0, len(y)
	if i > 0 {
		from = changes[i-1]
	}
	if i+1 < len(changes) {
		to = changes[i+1]
	}
	return studentP(y[from:changes[i]], y[changes[i]:to])
}

func studentP(a, b []float64) float64 {
	n, m := float64(len(a)), float64(len(b))
	if n+m <= 2 {
		return 1
	}
	meanA, squaresA := moments(a)
	meanB, squaresB := moments(b)
	// Otava passes population variances where sample variances are expected.
	v := ((n-1)*squaresA/n + (m-1)*squaresB/m) / (n + m - 2)
	t := (meanA - meanB) / math.Sqrt(v*(1/n+1/m))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n + m - 2}.Survival(math.Abs(t))
}

func moments(x []float64) (mean, squares float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, squares
}

// dissimilar maximizes the divergence between y[:k] and y[k:end] over k and
// end (Matteson and James, Journal of the American Statistical Association
// 109, 2014).
func dissimilar(y []float64) (at int, most float64) {
	n := len(y)
	within := make([][]float64, n+1) // within[i][j] sums all pairs of y[i:j]
	for i := range within {
		within[i] = make([]float64, n+1)
	}
	for i := n - 1; i >= 0; i-- {
		row := 0.0
		for j := i + 1; j < n; j++ {
			row += math.Abs(y[i] - y[j])
			within[i][j+1] = within[i+1][j+1] + row
		}
	}
	most = math.Inf(-1)
	for k := 1; k < n; k++ {
		for end := k + 1; end <= n; end++ {
			a, b, all := float64(k), float64(end-k), float64(end)
			q := 2 / all * (within[0][end] - within[0][k] - within[k][end])
			if k > 1 {
				q -= 2 * b / all / (a - 1) * within[0][k]
			}
			if end-k > 1 {
				q -= 2 * a / all / (b - 1) * within[k][end]
			}
			if q > most {
				at, most = k, q
			}
		}
	}
	return at, most
}

// TestEDivisiveAgainstOtava compares with the changes that apache-otava 0.8.0
// names in the same series: testdata/series.py writes the file.
func TestEDivisiveAgainstOtava(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/otava.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Series  []float64
		Changes []int
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("%d series", len(all))
	}
	for i, s := range all {
		if got := eDivisive(s.Series, 50, 0.001); !slices.Equal(got, s.Changes) {
			t.Errorf("series %d: changes %v, Otava %v", i, got, s.Changes)
		}
	}
}
