package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"time"
)

// Points are what another tool measured of one commit on one machine. They are
// absolute values: no level is solved from them, because a change of machine or
// of method does not cancel as it does in a comparison.
type Points struct {
	// Source is the kind of file that they come from: "asv" or "benchmarks".
	Source  string `json:"source"`
	Machine string `json:"machine"`
	Commit  Commit `json:"commit"`
	// Values has one for each benchmark and unit.
	Values []Value `json:"values"`
}

// Value is an absolute value of one benchmark.
type Value struct {
	Pkg   string  `json:"pkg,omitempty"`
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	// Lo and Hi are the interval that the source gives, at 95% for benchmark
	// files and at 99% for asv; both are 0 where it gives none.
	Lo float64 `json:"lo,omitempty"`
	Hi float64 `json:"hi,omitempty"`
	// N counts the measurements; 0 is unknown.
	N int `json:"n,omitempty"`
}

// Key of the value.
func (v Value) Key() Key { return Key{v.Pkg, v.Name, v.Unit} }

func (p Points) check() error {
	if p.Commit.Hash == "" {
		return fmt.Errorf("points without commit")
	}
	seen := make(map[Key]bool)
	for _, v := range p.Values {
		if v.Name == "" || v.Unit == "" {
			return fmt.Errorf("a point without name or unit")
		}
		if seen[v.Key()] {
			return fmt.Errorf("%s has two points for %s", v.Name, v.Unit)
		}
		seen[v.Key()] = true
		for _, x := range []float64{v.Value, v.Lo, v.Hi} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%s: %v %s is not a value", v.Name, x, v.Unit)
			}
		}
		if v.interval() && (v.Lo > v.Value || v.Hi < v.Value) {
			return fmt.Errorf("%s: the interval %g to %g leaves out the value %g", v.Name, v.Lo, v.Hi, v.Value)
		}
	}
	return nil
}

func (v Value) interval() bool { return v.Lo != 0 || v.Hi != 0 }

// AddPoints stores points under a name that their content gives. It reports
// false where the store has them already.
func AddPoints(ctx context.Context, s Store, p Points, names []string) (name string, added bool, err error) {
	data, err := Encode(Entry{Points: &p})
	if err != nil {
		return "", false, err
	}
	sum := sha256.Sum256(data)
	name = fileNameOf(p.Commit.Time, hex.EncodeToString(sum[:6]))
	if slices.Contains(names, name) {
		return name, false, nil
	}
	return name, true, s.Put(ctx, name, data)
}

// Track is the points of one benchmark on one machine.
type Track struct {
	Key
	Machine, Source string
	// Points are in the order of the line, then those elsewhere by time.
	Points []Point
}

// Point is the value of one commit.
type Point struct {
	Value
	Commit Commit
	// At is the position of the commit on the line that the graph was made
	// with, -1 elsewhere.
	At int
}

// Tracks are the imported points of a history. Of two values for one commit the
// one that is stored last counts.
func (g *Graph) Tracks() []Track {
	type id struct {
		Key
		machine, source string
	}
	index := make(map[id]int)
	var all []Track
	for _, f := range g.files {
		if f.Points == nil {
			continue
		}
		at, ok := g.line[f.Points.Commit.Hash]
		if !ok {
			at = -1
		}
		for _, v := range f.Points.Values {
			id := id{v.Key(), f.Points.Machine, f.Points.Source}
			i, ok := index[id]
			if !ok {
				i = len(all)
				index[id] = i
				all = append(all, Track{Key: id.Key, Machine: id.machine, Source: id.source})
			}
			all[i].add(Point{Value: v, Commit: f.Points.Commit, At: at})
		}
	}
	for _, t := range all {
		slices.SortStableFunc(t.Points, comparePoints)
	}
	slices.SortFunc(all, func(a, b Track) int {
		return cmp.Or(compareKeys(a.Key, b.Key), cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Source, b.Source))
	})
	return all
}

func (t *Track) add(p Point) {
	for i, old := range t.Points {
		if old.Commit.Hash == p.Commit.Hash {
			t.Points[i] = p
			return
		}
	}
	t.Points = append(t.Points, p)
}

func comparePoints(a, b Point) int {
	if a.At >= 0 && b.At >= 0 {
		return a.At - b.At
	}
	if (a.At < 0) != (b.At < 0) {
		return b.At - a.At // -1 comes last
	}
	return cmp.Or(a.Commit.Time.Compare(b.Commit.Time), cmp.Compare(a.Commit.Hash, b.Commit.Hash))
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Pkg, b.Pkg), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Unit, b.Unit))
}

func fileNameOf(t time.Time, digits string) string {
	return t.UTC().Format("20060102-150405") + "-" + digits + ".json"
}
