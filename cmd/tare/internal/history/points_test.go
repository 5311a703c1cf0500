package history

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func pointsOf(commit, machine string, value float64) Points {
	return Points{Source: "asv", Machine: machine, Commit: Commit{Hash: commit, Time: time.Unix(int64(value), 0).UTC()},
		Values: []Value{{Pkg: "p", Name: "A", Unit: "sec/op", Value: value}}}
}

// Points have tracks of their own; levels, candidates and commits are those of
// the comparisons alone.
func TestPointsAreApartFromLevels(t *testing.T) {
	t.Parallel()
	files, line := recorded(30, map[int]float64{10: 0.05}, 0.002, oneMachine)
	key := Key{"p", "A", "sec/op"}
	before := NewGraph(files, line)
	more := slices.Clone(files)
	for _, k := range []int{12, 3, 29} {
		p := pointsOf(hash(k), "m", float64(k))
		more = append(more, File{Name: fmt.Sprint("point ", k), Entry: Entry{Points: &p}})
	}
	for i, p := range []Points{pointsOf("ffffffff1", "m", 7), pointsOf("ffffffff0", "m", 5), pointsOf(hash(3), "other", 3), pointsOf(hash(3), "m", 4)} {
		more = append(more, File{Name: fmt.Sprint("more ", i), Entry: Entry{Points: &p}})
	}
	g := NewGraph(more, line)
	a, b := before.Series(key, 0), g.Series(key, 0)
	if !slices.Equal(a.Level, b.Level) || !slices.Equal(a.Candidates, b.Candidates) || len(g.Commits) != len(before.Commits) || g.Line != before.Line {
		t.Error("points change the levels")
	}
	tracks := g.Tracks()
	if len(tracks) != 2 || tracks[0].Machine != "m" || tracks[1].Machine != "other" {
		t.Fatalf("tracks %+v", tracks)
	}
	var values []float64
	for _, p := range tracks[0].Points {
		values = append(values, p.Value.Value)
	}
	// By the line, then by time; of two for one commit the later counts.
	if !slices.Equal(values, []float64{4, 12, 29, 5, 7}) {
		t.Errorf("values %v", values)
	}
	// Points alone are no history of comparisons.
	p := pointsOf(hash(3), "m", 3)
	if g := NewGraph([]File{{Entry: Entry{Points: &p}}}, line); len(g.Commits) != 0 || len(g.Keys()) != 0 || len(g.Tracks()) != 1 {
		t.Errorf("%d commits, %d series", len(g.Commits), len(g.Keys()))
	}
}

// The same points are stored once.
func TestAddPoints(t *testing.T) {
	t.Parallel()
	s := OpenFolder(filepath.Join(t.TempDir(), "h"))
	ctx := context.Background()
	name, added, err := AddPoints(ctx, s, pointsOf(hash(1), "m", 1), nil)
	if err != nil || !added {
		t.Fatal(added, err)
	}
	if again, added, err := AddPoints(ctx, s, pointsOf(hash(1), "m", 1), []string{name}); err != nil || added || again != name {
		t.Errorf("stored again: %v, %v, %s", added, err, again)
	}
	for _, bad := range []Points{
		{Values: []Value{{Name: "A", Unit: "B", Value: 1}}},
		pointsOf(hash(1), "m", math.Inf(1)),
		{Commit: Commit{Hash: hash(1)}, Values: []Value{{Name: "A", Unit: "B"}, {Name: "A", Unit: "B"}}},
		{Commit: Commit{Hash: hash(1)}, Values: []Value{{Name: "A", Unit: "B", Value: 1, Lo: 2, Hi: 3}}},
		{Commit: Commit{Hash: hash(1)}, Values: []Value{{Name: "A"}}},
	} {
		if _, _, err := AddPoints(ctx, s, bad, nil); err == nil {
			t.Errorf("%+v was stored", bad)
		}
	}
	files, skipped, err := Load(ctx, s)
	if err != nil || len(skipped) != 0 || len(files) != 1 || files[0].Points == nil {
		t.Errorf("%+v, %+v, %v", files, skipped, err)
	}
}
