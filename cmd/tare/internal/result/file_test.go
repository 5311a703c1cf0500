package result

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tarebench/tare/internal/finding"
)

// recorded is a line of every kind.
var recorded = []Line{
	{Study: &Study{Plan: Plan{Kind: "compare", Seed: 1<<64 - 1, Alpha: 0.05}, Schema: RecordingSchema, Method: Method, Variants: []Variant{{Label: "main"}, {Label: "."}}}},
	{Benchmark: &Benchmark{Key: Key{Pkg: "p", Name: "X/<b>&", Procs: 2}}},
	{Pilot: &Pilot{Iterations: 100, Rounds: 2, SliceSeconds: 1e-4, CPUs: "1", Procs: 2}},
	{Block: &Block{
		Block: 1, Try: 1, First: 1, FuncOrders: []uint64{1, 1 << 63}, Seconds: 0.3, SliceSeconds: 0.25,
		Processes: []Process{{User: 1e8, GCs: 3}, {N: 2, Bytes: 1 << 40, Mallocs: 7, GCs: 1, GCTime: 0.5, HeapLive: 5, HeapGoal: 6}},
		Rounds: []Round{
			{At: 1.5, Order: []int{1, 0}, Warmup: true, Slices: []Slice{{N: 100, Raw: 100_123, OverheadLo: 20.1, OverheadHi: 28.1}, {N: 100, Raw: 99_000}}},
			{At: 1.500213, Order: []int{0, 1}, Slices: []Slice{
				{N: 100, Raw: 100_001, Counted: true, Mallocs: 300, Bytes: 4800, GCs: 1, Collected: true, Settle: 7e5, Followed: true, Delay: 5e4, Pauses: 101},
				{N: 400, Raw: 0.1, Metrics: map[string]float64{"sec/op": 5e-324, "B/s": -1e300}},
			}},
		},
		Counting: []Round{{At: 2, Order: []int{0, 1}, Slices: []Slice{{N: 7, Raw: 1}, {}}}},
	}},
	{Block: &Block{Disturbed: "stolen", Failed: "main: panic"}},
	{Machine: &Machine{}},
	{Count: &Count{Unit: "instructions/op"}},
	{Stop: &Stop{Reason: "decided"}},
	{Finding: &finding.Finding{ID: "x", Severity: finding.Info}},
	{End: &End{Seconds: 1.5}},
}

func written(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, l := range recorded {
		if err := w.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestRecordingComesBack(t *testing.T) {
	text := written(t)
	lines, err := Lines(bytes.NewReader(text))
	for _, l := range lines {
		if l.Block != nil {
			l.Block.Unpack()
			l.Block.Columns = Columns{}
		}
	}
	if err != nil || !reflect.DeepEqual(lines, recorded) {
		t.Fatalf("%v:\n%+v", err, lines)
	}
	rec, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Study.Seed != 1<<64-1 || rec.End == nil || len(rec.Counts) != 1 || len(rec.Stops) != 1 || len(rec.Findings) != 1 {
		t.Errorf("%+v", rec)
	}
	b := rec.Benchmarks[0]
	if len(b.Blocks) != 2 || b.Blocks[0].Block != 0 || b.Blocks[0].Good() || !b.Blocks[1].Good() || len(b.Blocks[1].Timed()) != 2 {
		t.Errorf("blocks %+v", b.Blocks)
	}
	if b.Pilot == nil || b.Pilot.Iterations != 100 || rec.Study.Machine == nil {
		t.Errorf("plan %+v, machine %+v", b.Pilot, rec.Study.Machine)
	}
}

// Of several plans and tries the last counts, and nothing need be in order:
// findings, stops and machines may come before the study.
func TestLinesInAnyOrder(t *testing.T) {
	text := `{"finding":{"id":"outside","severity":"warning","subject":"m","message":"x"}}
{"stop":{"b":1,"reason":"failed","variant":1,"message":"boom"}}
{"machine":{}}
{"plan":{"b":0,"n":5,"rounds":3}}
{"block":{"b":0,"k":1,"first":0,"seconds":1,"slice_seconds":1}}
{"block":{"b":0,"k":0,"first":0,"seconds":1,"slice_seconds":1,"failed":"a side ended"}}
{"benchmark":{"pkg":"p","name":"X","procs":1}}
{"block":{"b":0,"k":0,"try":1,"first":1,"seconds":1,"slice_seconds":1}}
{"plan":{"b":0,"n":50,"rounds":3}}
{"study":{"schema":2,"variants":[{"label":"a"},{"label":"b"}]}}
{"benchmark":{"pkg":"p","name":"Y","procs":1}}
`
	rec, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	x := rec.Benchmarks[0]
	if len(rec.Benchmarks) != 2 || len(x.Blocks) != 2 || x.Blocks[0].Try != 1 || x.Blocks[0].First != 1 || x.Blocks[1].Block != 1 || x.Pilot.Iterations != 50 {
		t.Errorf("%+v", rec.Benchmarks)
	}
	if len(rec.Findings) != 1 || len(rec.Stops) != 1 || rec.Study.Machine == nil {
		t.Errorf("%+v", rec)
	}
	if !IsRecording([]byte(text)) || IsRecording([]byte("goos: linux\n")) || IsRecording([]byte(`{"Action":"start"}`)) {
		t.Error("the first bytes do not tell a recording")
	}
}

// TestManyLines: the time to read lines in any order does not grow with the square of
// their number, or this test does not end.
func TestManyLines(t *testing.T) {
	const n = 200_000
	lines := []Line{{Benchmark: new(Benchmark)}}
	for i := range n {
		lines = append(lines, Line{Changed: &ChangedFunction{Name: strconv.Itoa(i)}}, Line{Block: &Block{Block: n - i}})
	}
	if rec := NewRecording(lines); len(rec.Changed) != n || len(rec.Benchmarks[0].Blocks) != n {
		t.Errorf("%d functions and %d blocks of %d", len(rec.Changed), len(rec.Benchmarks[0].Blocks), n)
	}
}

// A killed process leaves any part of its last line: all lines before it are
// read, wherever it was cut.
func TestTornLineIsDropped(t *testing.T) {
	text := written(t)
	first := bytes.IndexByte(text, '\n') + 1
	first += bytes.IndexByte(text[first:], '\n') + 1 // the study and its benchmark
	for cut := first; cut <= len(text); cut++ {
		lines, err := Lines(bytes.NewReader(text[:cut]))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if n := bytes.Count(text[:cut], []byte("\n")); len(lines) != n {
			t.Fatalf("cut at %d: %d lines of %d", cut, len(lines), n)
		}
	}
}

func TestBrokenRecordings(t *testing.T) {
	study := string(written(t)[:bytes.IndexByte(written(t), '\n')+1])
	const benchmark = `{"benchmark":{"pkg":"p","name":"X","procs":1}}` + "\n"
	rounds := func(text string) string { return `{"block":{"b":0,"rounds":{` + text + "}}}\n" }
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "no study line"},
		{"no study", benchmark, "no study line"},
		{"half of a study", study[:20], "no study line"},
		{"a broken line", study + "{\"block\":\n" + benchmark, "line 2"},
		{"two lines in one", study + strings.TrimSpace(benchmark) + benchmark, "line 2"},
		{"a blank line", study + "\n" + benchmark, "line 2"},
		{"a newer schema", `{"study":{"schema":99}}` + "\n", "line 1: schema 99 is not 2"},
		{"a plan of nothing", study + `{"plan":{"b":0}}` + "\n", "line 2: plan of unknown benchmark 0"},
		{"a block of less", study + benchmark + `{"block":{"b":-1}}` + "\n", "line 3: block of unknown benchmark -1"},
		{"a count of nothing", study + benchmark + `{"count":{"b":1}}` + "\n", "line 3: count of unknown benchmark 1"},
		{"a count of no variant", study + benchmark + `{"count":{"b":0,"v":2}}` + "\n", "line 3: count of unknown variant 2"},
		{"a block of nothing", study + benchmark + `{"block":{"b":1}}` + "\n", "line 3: block of unknown benchmark 1"},
		{"a stop of nothing", study + benchmark + `{"stop":{"b":7}}` + "\n", "line 3: stop of unknown benchmark 7"},
		{"a stop of no variant", study + benchmark + `{"stop":{"b":0,"variant":-1}}` + "\n", "line 3: stop of unknown variant -1"},
		{"an order of no variant", study + benchmark + rounds(`"count":1,"orders":"02","sides":[{"n":1}]`), "line 3: block of unknown variant 2"},
		{"an order of words", study + benchmark + rounds(`"count":1,"orders":"x","sides":[{"n":1}]`), "line 3: order"},
		{"fewer orders than rounds", study + benchmark + rounds(`"count":2,"orders":"01","sides":[{"n":1}]`), "line 3: 1 orders of 2 rounds"},
		{"more slices than variants", study + benchmark + rounds(`"count":1,"sides":[{"n":1},{"n":1},{"n":1}]`), "line 3: block of unknown variant 2"},
		{"fewer times than rounds", study + benchmark + rounds(`"count":3,"sides":[{"n":1,"t":[1,2]}]`), "line 3: variant 0: t: 2 numbers for 3 rounds"},
		{"a time that is none", study + benchmark + rounds(`"count":2,"sides":[{"n":1,"t":[1,"2"]}]`), "line 3"},
		{"a time that is null", study + benchmark + rounds(`"count":2,"sides":[{"n":1,"t":[1,null]}]`), "line 3: variant 0: t: a number that no slice can have"},
		{"no iterations", study + benchmark + rounds(`"count":2,"sides":[{"n":-1}]`), "line 3: variant 0: n: a number that no slice can have"},
		{"rounds without end", study + benchmark + rounds(`"count":4000000000,"sides":[{"n":1}]`), "line 3: 4000000000 rounds"},
		{"rounds without number", study + benchmark + rounds(`"count":-1,"sides":[{"n":1}]`), "line 3: -1 rounds"},
		{"257 variants", `{"study":{"schema":2,"variants":[{}` + strings.Repeat(",{}", 256) + "]}}\n", "line 1: 257 variants"},
		{"a line of 65 MiB", study + strings.Repeat("x", 65<<20), "line 2: it has more than 64 MiB"},
		{"two counts of one", study + benchmark + strings.Repeat(`{"count":{"b":0,"v":1,"unit":"x/op"}}`+"\n", 2), "line 4: a second count of benchmark 0, variant 1 in \"x/op\": remove one"},
		{"block 1001", study + benchmark + `{"block":{"b":0,"k":1000}}` + "\n", "line 3: block 1000: a benchmark has at most 1000"},
		{"rows without end", study + strings.Repeat(benchmark, 1<<15+1), "32769 benchmarks of 2 variants are more than 65536 rows"},
		{"two studies", study + study, "line 2: a second study"},
	} {
		_, err := Read(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
		if test.want == "no study line" && !errors.Is(err, ErrNoStudy) {
			t.Errorf("%s: %v is not ErrNoStudy", test.name, err)
		}
	}
	broken := errors.New("disk gone")
	if _, err := Lines(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestWriterErrors(t *testing.T) {
	if err := NewWriter(failing{}).Write(recorded[0]); err == nil || !strings.Contains(err.Error(), "append result line") {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// FuzzRead: whatever is read can be written, and comes back the same.
func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte(`{"study":{"schema":2,"variants":[{}]}}` + "\n" + `{"benchmark":{}}` + "\n" + `{"block":{"rounds":{"count":9,"sides":[{"n":[[1,3],2,[0,5]]}]}}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := Lines(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		for _, l := range lines {
			if err := w.Write(l); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Lines(&b)
		if err != nil || len(again) != len(lines) {
			t.Fatalf("%d lines, then %d, %v", len(lines), len(again), err)
		}
		if err := WriteBenchmarks(&b, NewRecording(lines)); err != nil {
			t.Fatal(err)
		}
	})
}
