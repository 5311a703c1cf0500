//go:build lab

package attempt

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

var (
	recordings = flag.String("recordings", "", "the directory that TestRecord of internal/lab/tries has written")
	replays    = flag.Uint64("sessions", 200, "how many sessions to play")
)

// recordedEdit is an edit with its blocks and its truth, as all of them show it.
type recordedEdit struct {
	gain   float64
	blocks []result.Block
}

// TestReplay plays -sessions sessions (200) of 100 edits from recorded blocks, nine in ten
// without effect, through the shipped judge:
//
//	go test -tags lab ./cmd/tare/internal/lab/tries -run TestRecord -args -keep DIR
//	go test -tags lab ./cmd/tare/internal/attempt -run TestReplay -v -timeout 2h -args -recordings DIR
//
// A keep is false if the edit's own 60 blocks do not show the wanted gain.
func TestReplay(t *testing.T) {
	if *recordings == "" {
		t.Skip("needs -recordings")
	}
	const want = 0.005
	var without, with []recordedEdit
	files, err := filepath.Glob(filepath.Join(*recordings, "*", "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		e, ok := readEdit(t, name)
		switch {
		case !ok:
		case e.gain >= 2*want:
			with = append(with, e)
		case e.gain <= want:
			without = append(without, e)
		}
	}
	if len(without) == 0 || len(with) == 0 {
		t.Fatalf("%d edits without effect and %d with one in %d recordings", len(without), len(with), len(files))
	}
	var all tally
	for _, one := range playAll(*replays, func(seed uint64) (sum tally) {
		r := rand.New(rand.NewPCG(seed, 2))
		var levels Levels
		for range 100 {
			from := without
			if r.IntN(10) == 0 {
				from = with
			}
			e := from[r.IntN(len(from))]
			order := r.Perm(len(e.blocks))
			a, n := judgedAttempt(func() result.Block {
				b := e.blocks[order[0]]
				order = order[1:]
				return b
			}, min(levels.Next(), mostLevel), want, r.Uint64())
			levels.Add(a.Verdict == Keep)
			one := tally{attempts: 1, blocks: n}
			if e.gain >= 0.02 {
				one.real = 1
			}
			if a.Verdict == Keep {
				one.kept = 1
				if e.gain <= want {
					one.falsely = 1
				} else if e.gain >= 0.02 {
					one.found = 1
				}
			}
			sum.add(one)
		}
		return sum
	}) {
		all.add(one)
	}
	t.Logf("%d edits without effect, %d with one: %+v", len(without), len(with), all)
	if float64(all.falsely) > Alpha*float64(all.kept) {
		t.Errorf("%d of %d keeps are false", all.falsely, all.kept)
	}
}

// readEdit reads a comparison with the working tree first, and at least 40 blocks.
func readEdit(t *testing.T, name string) (e recordedEdit, ok bool) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, _, err := result.Lines(f)
	if err != nil {
		t.Fatal(err)
	}
	rec := result.NewRecording(lines)
	if len(rec.Benchmarks) != 1 || len(rec.Benchmarks[0].Blocks) < 40 {
		return e, false
	}
	b := rec.Benchmarks[0].Unpacked()
	for _, block := range b.Blocks {
		if block.Good() {
			block.Machine, block.Layouts = 0, nil
			e.blocks = append(e.blocks, block)
		}
	}
	c := judge.Compare(rec)
	e.gain = 1 - 1/c.Benchmarks[0].Change.Ratio
	return e, len(e.blocks) >= 40
}
