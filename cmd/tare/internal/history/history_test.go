package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestNetworkAgainstDense compares levels and variances with the dense normal
// equations of gonum.
func TestNetworkAgainstDense(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "commits")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var edges []Edge
		for k := 1; k < n; k++ {
			edges = append(edges, Edge{Old: random.IntN(k), New: k, LogRatio: random.NormFloat64(), SD: 0.01 + random.Float64()})
		}
		for range random.IntN(2 * n) {
			a, b := random.IntN(n), random.IntN(n)
			if a != b {
				edges = append(edges, Edge{Old: a, New: b, LogRatio: random.NormFloat64(), SD: 0.01 + random.Float64()})
			}
		}
		const reference = 0
		g := newNetwork(n)
		for _, e := range edges {
			g.add(e.Old, e.New, e.LogRatio, 1/square(e.SD))
		}
		g.factor()
		got := g.solve(g.flow)
		design, y, w := mat.NewDense(len(edges), n, nil), mat.NewVecDense(len(edges), nil), mat.NewDiagDense(len(edges), nil)
		for i, e := range edges {
			design.Set(i, e.New, 1)
			design.Set(i, e.Old, -1)
			y.SetVec(i, e.LogRatio)
			w.SetDiag(i, 1/(e.SD*e.SD))
		}
		for i := range edges {
			design.Set(i, reference, 0)
		}
		var normal, right, inverse mat.Dense
		normal.Product(design.T(), w, design)
		normal.Set(reference, reference, 1)
		right.Product(design.T(), w, y)
		if err := inverse.Inverse(&normal); err != nil {
			t.Skip(err)
		}
		var level mat.Dense
		level.Mul(&inverse, &right)
		for k := range n {
			if k == reference {
				continue
			}
			near(t, fmt.Sprint("level ", k), got[k], level.At(k, 0))
			near(t, fmt.Sprint("variance ", k), g.resistance(k, reference), inverse.At(k, k))
		}
	})
}

func near(t *rapid.T, what string, got, want float64) {
	if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// TestLevelsAreHonest: levels have the errors that they claim, with tags and
// without, and a path through a tag is shorter.
func TestLevelsAreHonest(t *testing.T) {
	t.Parallel()
	sum, n := 0.0, 0
	for seed := range uint64(100) {
		edges := simulated(40, map[int]float64{10: 0.05}, 0.01, seed)
		l := solve(40, edges, 0)
		for k := 1; k < 40; k++ {
			if want := 0.01; l.SD[k] > want+1e-12 {
				t.Fatalf("the error of commit %d is %v, of its comparison with the tag %v", k, l.SD[k], want)
			}
			truth := 0.0
			if k >= 10 {
				truth = 0.05
			}
			sum += square((l.Level[k] - truth) / l.SD[k])
			n++
		}
	}
	if v := sum / float64(n); v < 0.9 || v > 1.1 {
		t.Errorf("the variance of levels is %v of the claimed one", v)
	}
}

func TestSolveSameCodeAndComponents(t *testing.T) {
	t.Parallel()
	edges := []Edge{
		{Old: 0, New: 1, LogRatio: 0.02, SD: 0.001},
		{Old: 1, New: 2}, // same code
		{Old: 2, New: 3, LogRatio: 0.03, SD: 0.002},
		{Old: 5, New: 6, LogRatio: 0.1, SD: 0.001},
	}
	l := solve(8, edges, 0)
	for k, want := range []float64{0, 0.02, 0.02, 0.05} {
		if math.Abs(l.Level[k]-want) > 1e-12 {
			t.Errorf("level of commit %d is %v, want %v", k, l.Level[k], want)
		}
	}
	if l.SD[1] != l.SD[2] || math.Abs(l.SD[3]-math.Hypot(0.001, 0.002)) > 1e-12 {
		t.Errorf("standard errors %v", l.SD[:4])
	}
	apart := solve(8, edges, 5)
	for k := range 4 {
		if !math.IsNaN(apart.Level[k]) || !math.IsNaN(l.Level[4+k]) {
			t.Errorf("commits that no edges connect have levels: %v, %v", l.Level, apart.Level)
		}
	}
	if math.Abs(apart.Level[6]-0.1) > 1e-12 || !math.IsNaN(apart.Level[4]) || !math.IsNaN(apart.Level[7]) {
		t.Errorf("levels from commit 5 are %v", apart.Level)
	}
}

// TestOnlineLevels has values of onlineFDR 2.0's LOND at α = 0.05: its manual
// prints 0.0026758385 for the first test.
func TestOnlineLevels(t *testing.T) {
	t.Parallel()
	o := online{}
	if l := o.Level(); math.Abs(l-0.0026758385) > 1e-9 {
		t.Errorf("first level %.10f", l)
	}
	o.Tests, o.Found = 1, 1
	if math.Abs(o.Level()-2*0.05*beta(2)) > 1e-15 {
		t.Errorf("level after a discovery %v", o.Level())
	}
	sum := 0.0
	for i := 1; i < 1_000_000; i++ {
		sum += beta(i)
	}
	if sum > 1 {
		t.Errorf("the shares sum to %v", sum)
	}
}

func simulated(n int, steps map[int]float64, noise float64, seed uint64) []Edge {
	random := rand.New(rand.NewPCG(seed, 3))
	level := make([]float64, n)
	var edges []Edge
	for k := 1; k < n; k++ {
		level[k] = level[k-1] + steps[k]
		edges = append(edges,
			Edge{Old: k - 1, New: k, LogRatio: level[k] - level[k-1] + noise*random.NormFloat64(), SD: noise},
			Edge{Old: 0, New: k, LogRatio: level[k] + noise*random.NormFloat64(), SD: noise})
	}
	return edges
}

func TestScreenFindsSteps(t *testing.T) {
	t.Parallel()
	steps := map[int]float64{40: 0.02, 41: -0.01, 150: 0.02, 300: -0.03}
	found := make(map[int]int)
	for seed := range uint64(10) {
		got := screen(500, simulated(500, steps, 0.002, seed), nil)
		for _, c := range got {
			if steps[c.Commit] != 0 {
				found[c.Commit]++
			}
		}
		if len(got) > len(steps)+2 {
			t.Errorf("seed %d: %d candidates for %d steps", seed, len(got), len(steps))
		}
	}
	for k := range steps {
		// One edge alone shows that commit 41 takes half of 40 back.
		least := 10
		if k == 41 {
			least = 6
		}
		if found[k] < least {
			t.Errorf("the step at %d was found in %d of 10 histories", k, found[k])
		}
	}
}

// A step early in a short history is in most of its edges.
func TestScreenEarlyStep(t *testing.T) {
	t.Parallel()
	edges := simulated(5, map[int]float64{2: 0.1}, 0.0001, 1)
	got := screen(5, edges, nil)
	if len(got) != 1 || got[0].Commit != 2 {
		t.Errorf("candidates %+v", got)
	}
}

// A decided commit is no candidate, its step takes part in the fit, and a step
// next to it is found all the same.
func TestScreenDecided(t *testing.T) {
	t.Parallel()
	edges := simulated(100, map[int]float64{40: 0.05, 42: 0.02, 70: -0.03}, 0.001, 2)
	got := screen(100, edges, []int{40, 41})
	if len(got) != 2 || got[0].Commit != 42 || got[1].Commit != 70 || math.Abs(got[0].Step-0.02) > 0.005 {
		t.Errorf("candidates %+v", got)
	}
	// Nothing is known between commits 10 and 11, each decided: one level.
	if got := screen(100, simulated(100, nil, 0.001, 3), []int{10, 11, 99, 0, 100}); len(got) != 0 {
		t.Errorf("candidates %+v in noise", got)
	}
}

func TestScreenIsQuietOnNoise(t *testing.T) {
	t.Parallel()
	total := 0
	for seed := range uint64(40) {
		total += len(screen(200, simulated(200, nil, 0.003, seed), nil))
	}
	if total > 20 {
		t.Errorf("%d candidates in 8,000 commits without a step", total)
	}
}

// Whatever is wrong with a file of the store, the reason for skipping it tells.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	good, err := encode(study(1))
	if err != nil {
		t.Fatal(err)
	}
	edited := func(old, new string) string {
		text := strings.Replace(string(good), old, new, 1)
		if text == string(good) {
			t.Fatalf("the entry has no %s", old)
		}
		return text
	}
	for text, want := range map[string]string{
		"":                         "unexpected end",
		string(good[:len(good)/2]): "unexpected end",
		string(good) + "x":         "invalid character",
		"\x1f\x8b\x08":             "invalid character",
		`[]`:                       "not an entry of a history",
		`"x"`:                      "not an entry of a history",
		`null`:                     "not an entry of a history",
		`{}`:                       "not an entry of a history",
		`{"schema":"1"}`:           "not an entry of a history",
		`{"schema":2,"study":"other than today"}`: "schema 2 is not 1: update tare to read it",
		`{"schema":1}`:                                                            "neither one study nor one decision",
		`{"schema":1,"study":7}`:                                                  "cannot unmarshal number",
		edited(`"logRatio": 0.1`, `"logRatio": 51`):                               "log ratio 51 is not a change",
		edited(`"lo": 0`, `"lo": 0.15`):                                           "does not contain the estimate",
		edited(`"name": "A"`, `"name": ""`):                                       "a row without name or unit",
		edited(`"sec/op"`, `""`):                                                  "a row without name or unit",
		edited(fmt.Sprintf("%040d", 2), fmt.Sprintf("%040d", 1)):                  "both variants are commit",
		`{"schema":1,"decision":{"commit":"a","name":"A","unit":"B","p":2}}`:      "a decision without",
		`{"schema":1,"decision":{"commit":"a","name":"A","unit":"B","hi":1e308}}`: "is not a change",
		`{"schema":1,"decision":{"commit":"a","name":"A","unit":"B","found":true,"undecided":true}}`:                            "undecided and found",
		`{"schema":1,"study":{"old":{"hash":"a"},"new":{"hash":"b"},"rows":[{"name":"A","unit":"B"},{"name":"A","unit":"B"}]}}`: "two rows",
		`{"schema":1,"study":{"created":"yesterday","old":{"hash":"a"},"new":{"hash":"b"}}}`:                                    "yesterday",
		`{"schema":1,"study":{"old":{"hash":"-rf"},"new":{"hash":"b"}}}`:                                                        `"-rf" is not a hash of a commit`,
		`{"schema":1,"study":{"old":{"hash":"a"},"new":{"hash":"../../etc/passwd"}}}`:                                           "is not a hash of a commit",
	} {
		if _, err := decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	data, err := encode(study(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":1,"rows":[{"name":"","unit":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decode(data)
		if err != nil {
			return
		}
		again, err := encode(s)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := decode(again); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
