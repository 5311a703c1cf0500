package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestRateOfSeveralWriters simulates forty clones that test on their own, each
// at the levels of the shipped code, and merge in the end. As the clones found
// them, too many changes are false if few are true. In the graph of all files at
// most 5% are, in expectation.
func TestRateOfSeveralWriters(t *testing.T) {
	t.Parallel()
	const histories, writers, tests = 400, 40, 10
	for _, changes := range []float64{0, 0.05} { // the share of true ones
		random := rand.New(rand.NewPCG(7, uint64(100*changes)))
		apart, merged, truths, kept := 0.0, 0.0, 0, 0
		for range histories {
			var all []File
			for w := range writers {
				var mine []File
				for i := range tests {
					d := &Decision{Created: time.Unix(int64(i), random.Int64N(1e9)), Name: "A", Unit: "sec/op",
						Commit: fmt.Sprint("nothing ", w, " ", i), P: random.Float64()}
					if random.Float64() < changes {
						d.Commit, d.P = fmt.Sprint("change ", w, " ", i), 1e-3*random.Float64()
					}
					d.Level = NewGraph(mine, nil).Online().Level()
					d.Found = d.P <= d.Level
					mine = append(mine, File{Name: fmt.Sprintf("%020d", random.Uint64()), Entry: Entry{Decision: d}})
				}
				all = append(all, mine...)
			}
			var as []Decision
			for _, f := range all {
				as = append(as, *f.Decision)
			}
			share, n := falseShare(as)
			apart, truths = apart+share/histories, truths+n
			share, n = falseShare(NewGraph(all, nil).decisions[Key{Name: "A", Unit: "sec/op"}])
			merged, kept = merged+share/histories, kept+n
		}
		t.Logf("%.0f%% true: of the changes %.1f%% are false as the writers found them, %.1f%% merged; %d of %d true ones stay",
			100*changes, 100*apart, 100*merged, kept, truths)
		if limit := Alpha + 3*math.Sqrt(Alpha*(1-Alpha)/histories); merged > limit {
			t.Errorf("%v true: %.3f of the changes are false, want %v at most", changes, merged, Alpha)
		}
		if changes == 0 && apart < 2*Alpha {
			t.Errorf("the simulation does not show the fault: %.3f", apart)
		}
	}
}

// falseShare is the share of false changes among those found, and the number of
// true ones.
func falseShare(all []Decision) (share float64, truths int) {
	wrong := 0
	for _, d := range all {
		if d.Found && strings.HasPrefix(d.Commit, "nothing") {
			wrong++
		} else if d.Found {
			truths++
		}
	}
	return float64(wrong) / float64(max(1, wrong+truths)), truths
}

// A change that loses its level in a merge is measured again, and two clones
// that find one change count it once.
func TestReplay(t *testing.T) {
	t.Parallel()
	decision := func(second int64, commit string, p float64) File {
		return File{Name: commit, Entry: Entry{Decision: &Decision{Created: time.Unix(second, 0), Commit: commit, Name: "A", Unit: "sec/op", P: p, Found: true}}}
	}
	got, o := replay([]File{decision(3, "late", 0.002), decision(1, "first", 0.5), decision(2, "twice", 1e-6), decision(4, "twice", 1e-6)})
	if o != (online{Tests: 4, Found: 1}) {
		t.Errorf("state %+v", o)
	}
	for i, want := range []string{"first undecided", "twice found", "late undecided", "twice found"} {
		state := "undecided"
		if got[i].Found {
			state = "found"
		}
		if got[i].Commit+" "+state != want || got[i].Undecided == got[i].Found {
			t.Errorf("%+v, want %s", got[i], want)
		}
	}
}
