package study

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// module writes files into a directory of the test.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.25\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func compareStudy(blocks int, edits ...func(*result.Plan)) result.Study {
	s := result.Study{Plan: result.Plan{Bench: ".", Kind: "compare", Seed: 1, MaxBlocks: blocks, BudgetSeconds: 120, Alpha: 0.05}, Schema: result.RecordingSchema, Variants: []result.Variant{{Label: "old"}, {Label: "new"}}}
	for _, edit := range edits {
		edit(&s.Plan)
	}
	return s
}

const busy = `package m

import "testing"

var sink uint64

func work(b *testing.B) {
	for b.Loop() {
		sink = sink*6364136223846793005 + 1
	}
}
`

// TestPlainFallback: binaries without the overlay alternate as processes, and
// the recording says so.
func TestPlainFallback(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + "func BenchmarkX(b *testing.B) { b.SetBytes(8); b.Run(\"sub\", work) }\n"})
	a, b := newSource(t, dir, ""), newSource(t, dir, "")
	a.plain, b.plain = true, true
	rec, err := record(t, Options{
		Study: compareStudy(2, func(p *result.Plan) { p.BlockSeconds = 0.005; p.FuncOrders = true }), Sources: []Source{a, b}, Packages: []string{"example.com/m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Benchmarks) != 1 || rec.Benchmarks[0].Name != "X/sub" || len(rec.Benchmarks[0].Blocks) != 2 {
		t.Fatalf("benchmarks %+v", rec.Benchmarks)
	}
	for _, k := range rec.Benchmarks[0].Blocks {
		if len(k.Rounds) != plainRounds {
			t.Errorf("block %d has %d rounds, want %d", k.Block, len(k.Rounds), plainRounds)
		}
		for _, r := range k.Rounds {
			if r.Slices[0].Seconds() <= 0 || r.Slices[1].Seconds() <= 0 || !r.Slices[0].Counted {
				t.Errorf("round %+v", r)
			}
		}
	}
	if !slices.ContainsFunc(rec.Findings, isFinding("plain-processes")) {
		t.Errorf("findings: %v", rec.Findings)
	}
}

// TestAlone: two processes that cannot live at the same time run one at a
// time, in mirrored order.
func TestAlone(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + `
func BenchmarkPort(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:39127")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	work(b)
	b.ReportMetric(7, "lives")
}
`})
	text, err := os.ReadFile(filepath.Join(dir, "m_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(strings.Replace(string(text), `import "testing"`, "import (\n\t\"net\"\n\t\"testing\"\n)", 1)), 0o666)
	s := newSource(t, dir, "")
	rec, err := record(t, Options{
		Study: compareStudy(2, func(p *result.Plan) { p.BlockSeconds = 0.01 }), Sources: []Source{s, s}, Packages: []string{"example.com/m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := rec.Benchmarks[0].Blocks
	if len(blocks) != 2 || !slices.ContainsFunc(rec.Findings, isFinding("one-at-a-time")) {
		t.Fatalf("%d blocks, findings %v, stops %v", len(blocks), rec.Findings, rec.Stops)
	}
	orders := make(map[string]bool)
	for _, r := range blocks[0].Rounds {
		orders[string(rune('0'+r.Order[0]))] = true
	}
	if len(orders) != 2 {
		t.Errorf("the two halves of a block run in one order: %v", orders)
	}
	// What it reports after its loop belongs to the last slice of each half.
	lives := make(map[[2]int]int)
	for _, k := range blocks {
		for _, r := range k.Rounds {
			for v, s := range r.Slices {
				if s.Metrics["lives"] == 7 {
					lives[[2]int{k.Block, v}]++
				}
			}
		}
	}
	if want := map[[2]int]int{{0, 0}: 2, {0, 1}: 2, {1, 0}: 2, {1, 1}: 2}; !maps.Equal(lives, want) {
		t.Errorf("slices with its metric, by block and variant: %v, want %v", lives, want)
	}
}

// slowLinks claims that a link takes seconds; it has one binary for all layouts.
type slowLinks struct{ built Binary }

func (s slowLinks) Binary(_ context.Context, _ string, layout uint64) (Binary, error) {
	s.built.Layout, s.built.LinkTime = layout, 3*time.Second
	return s.built, nil
}

func (slowLinks) Release(string, uint64) {}

// TestSlowLinks: fewer layouts then, the same for all benchmarks, and the
// recording says how many.
func TestSlowLinks(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + "func BenchmarkX(b *testing.B) { work(b) }\n"})
	built, err := newSource(t, dir, "").Binary(t.Context(), "example.com/m", 0)
	if err != nil {
		t.Fatal(err)
	}
	s := slowLinks{built}
	study := compareStudy(judge.MinBlocks + 2)
	study.Alpha, study.BlockSeconds, study.FuncOrders = 0.05, 0.001, true
	rec, err := record(t, Options{
		Study: study, Sources: []Source{s, s}, Packages: []string{"example.com/m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Benchmarks[0].FuncOrders; got != judge.MinBlocks {
		t.Errorf("FuncOrders is %d, want %d", got, judge.MinBlocks)
	}
	if a, b := rec.Benchmarks[0].Blocks[0].FuncOrders, rec.Benchmarks[0].Blocks[judge.MinBlocks].FuncOrders; !slices.Equal(a, b) || a[0] == 0 {
		t.Errorf("blocks 0 and %d have layouts %v and %v", judge.MinBlocks, a, b)
	}
}

// TestOutcomes: one benchmark's failure is its own.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + `
func BenchmarkGood(b *testing.B) { work(b) }
func BenchmarkPanics(b *testing.B) { panic("at once") }
func BenchmarkSkips(b *testing.B) { b.Skip("not here") }
func BenchmarkFails(b *testing.B) { for range b.N { if b.N > 1 { b.Fatal("later") } } }
func BenchmarkFailsBehindLoop(b *testing.B) {
	calls := 0
	for b.Loop() {
		calls++
	}
	if calls > 1 {
		b.Fatal("behind the loop")
	}
}
`})
	s := newSource(t, dir, "")
	rec, err := record(t, Options{
		Study: compareStudy(2, func(p *result.Plan) { p.BlockSeconds = 0.001 }), Sources: []Source{s, s}, Packages: []string{"example.com/m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"Good": {"blocks", ""}, "Panics": {"failed", "at once"}, "Skips": {"skipped", "not here"}, "Fails": {"failed", "later"},
		"FailsBehindLoop": {"failed", "behind the loop"},
	}
	for _, stop := range rec.Stops {
		name := rec.Benchmarks[stop.Benchmark].Name
		w := want[name]
		if stop.Reason != w[0] || !strings.Contains(stop.Message, w[1]) {
			t.Errorf("%s: %s, %q; want %v", name, stop.Reason, stop.Message, w)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no outcome of %v", want)
	}
}

// TestInterrupt: what was measured until then is on record, and marked.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := module(t, map[string]string{"m_test.go": busy + "func BenchmarkX(b *testing.B) { work(b) }\n"})
	s := newSource(t, dir, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var file bytes.Buffer
	write := result.NewWriter(&file).Write
	err := Run(ctx, Options{
		Study: compareStudy(40, func(p *result.Plan) { p.BlockSeconds = 0.001; p.Procs = []int{2}; p.TimeoutSeconds = 60 }), Sources: []Source{s, s}, Packages: []string{"example.com/m"},

		Write: func(l result.Line) error {
			if l.Block != nil && l.Block.Block == 2 {
				cancel()
			}
			return write(l)
		},
	})
	if err == nil {
		t.Fatal("no error from an interrupted study")
	}
	rec, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := rec.Benchmarks[0].Unpacked().Blocks
	if len(blocks) != 3 || rec.End == nil || !rec.End.Interrupted || rec.Stops[0].Reason != "interrupted" {
		t.Errorf("%d blocks, end %+v, stops %+v", len(blocks), rec.End, rec.Stops)
	}
}

// TestBlockIsWrittenAtOnce: a block is on record before the workers of the
// next one are started.
func TestBlockIsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	dir := module(t, map[string]string{"m_test.go": `package m

import (
	"os"
	"testing"
)

func BenchmarkX(b *testing.B) {
	f, err := os.OpenFile(` + strconv.Quote(log) + `, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	f.WriteString("call\n")
}
`})
	calls := func() int {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Error(err)
		}
		return strings.Count(string(text), "\n")
	}
	blocks, base := 0, 0
	err := Run(t.Context(), Options{
		Study: compareStudy(4, func(p *result.Plan) {
			p.Iterations = 100
			p.BlockSeconds = 0.01
			p.Procs = []int{2}
			p.TimeoutSeconds = 60
		}), Sources: []Source{newSource(t, dir, ""), newSource(t, dir, "")}, Packages: []string{"example.com/m"},

		Write: func(l result.Line) error {
			if l.Block == nil {
				return nil
			}
			now := calls()
			if announced, served := 2, 2*(len(l.Block.Rounds)+len(l.Block.Counted())); l.Block.Block > 0 && now-base != announced+served { // the first block sizes its slices
				t.Errorf("block %d has %d rounds and is written when %d slices were served", l.Block.Block, len(l.Block.Rounds), now-base-announced)
			}
			base = now
			blocks++
			return nil
		},
	})
	if err != nil || blocks != 4 {
		t.Fatalf("%d blocks: %v", blocks, err)
	}
}

// TestWaitsOfStartsCostNoVerdict: two starts that wait for most of the budget
// leave room for the blocks of a verdict, and no start takes more than twice the
// budget.
func TestWaitsOfStartsCostNoVerdict(t *testing.T) {
	for _, c := range []struct {
		always      bool
		least, most int
	}{{false, 8, 40}, {true, 2, 5}} {
		f := &fake{names: []string{"X"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}}
		f.wait = func(group int) time.Duration {
			if group == 2 || group == 3 || c.always && group > 1 {
				return 1800 * time.Millisecond
			}
			return 0
		}
		rec, err := f.study(t, func(o *Options) { o.BudgetSeconds = 4 })
		if err != nil {
			t.Fatal(err)
		}
		spent, blocks := 0.0, rec.Benchmarks[0].Blocks
		for _, k := range blocks {
			spent += k.Seconds
		}
		if len(blocks) < c.least || len(blocks) > c.most || spent > 8 || rec.Stops[0].Reason != "budget" {
			t.Errorf("always %v: %d blocks in %g s, stops %+v", c.always, len(blocks), spent, rec.Stops)
		}
	}
}

// TestWaitsOfStartsCostNoLevel: the level of a run has all its blocks, although two
// starts wait for most of the budget.
func TestWaitsOfStartsCostNoLevel(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{time.Microsecond}}
	f.wait = func(group int) time.Duration {
		if group == 9 || group == 10 {
			return 1800 * time.Millisecond
		}
		return 0
	}
	rec, err := f.study(t, func(o *Options) {
		o.Study.Kind, o.Study.Variants, o.Sources = "run", o.Study.Variants[:1], f.sources(1)
		o.MaxBlocks, o.BudgetSeconds = 12, 4
	})
	if err != nil {
		t.Fatal(err)
	}
	if b := rec.Benchmarks[0].Blocks; len(b) != 12 || rec.Stops[0].Reason != "blocks" {
		t.Errorf("%d blocks, stops %+v", len(b), rec.Stops)
	}
}

// TestBlocksFitIntoTheBudget: if slices wait far longer than they run, blocks are
// cut short, so that there are enough of them for an interval.
func TestBlocksFitIntoTheBudget(t *testing.T) {
	f := &fake{names: []string{"X"}, perOp: []time.Duration{time.Microsecond, time.Microsecond}, setup: 50 * time.Millisecond}
	rec, err := f.study(t, func(o *Options) {
		o.Iterations, o.BlockSeconds, o.BudgetSeconds = 100, 10, 1.5
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := rec.Benchmarks[0].Blocks
	if len(blocks) < 8 || len(rec.Stops) != 1 || rec.Stops[0].Reason != "budget" {
		t.Fatalf("%d blocks, stops %+v", len(blocks), rec.Stops)
	}
	for i, r := range blocks[0].Rounds {
		if r.Slices[0].N != 100 || r.Slices[1].N != 100 {
			t.Errorf("round %d is not whole: %+v", i, r.Slices)
		}
	}
}
