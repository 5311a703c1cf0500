package result

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tarebench/tare/finding"
)

// recorded is a line of every kind.
var recorded = []Line{
	{Study: &Study{Schema: Schema, Kind: "compare", Variants: []Variant{{Label: "main"}, {Label: "."}}, Seed: 1<<64 - 1, Alpha: 0.05}},
	{Benchmark: &Benchmark{Key: Key{Pkg: "p", Name: "X/<b>&", Procs: 2}}},
	{Round: &Round{Slices: []Slice{{N: 1, Raw: 0.1}, {N: 1, Raw: 1e-9, Metrics: map[string]float64{"sec/op": 5e-324}}}}},
	{Block: &Block{First: 1, Layouts: []uint64{1, 1 << 63}}},
	{Count: &Count{Unit: "instructions/op"}},
	{Profile: &ProfileChange{Kind: "cpuprofile"}},
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
	lines, whole, err := Lines(bytes.NewReader(text))
	if err != nil || whole != int64(len(text)) || !reflect.DeepEqual(lines, recorded) {
		t.Fatalf("%d of %d bytes, %v:\n%+v", whole, len(text), err, lines)
	}
	rec, _, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Study.Seed != 1<<64-1 || rec.End == nil || len(rec.Counts) != 1 || len(rec.Profiles) != 1 || len(rec.Stops) != 1 || len(rec.Findings) != 1 {
		t.Errorf("%+v", rec)
	}
	if rounds, blocks := rec.Of(0); len(rounds) != 1 || len(blocks) != 1 {
		t.Errorf("%d rounds, %d blocks", len(rounds), len(blocks))
	}
	if rounds, blocks := rec.Of(1); rounds != nil || blocks != nil {
		t.Errorf("%d rounds, %d blocks of a benchmark that is none", len(rounds), len(blocks))
	}
}

// A killed process leaves any part of its last line: all lines before it are
// read, wherever it was cut.
func TestTornLineIsDropped(t *testing.T) {
	text := written(t)
	first := bytes.IndexByte(text, '\n') + 1
	for cut := first; cut <= len(text); cut++ {
		lines, whole, err := Lines(bytes.NewReader(text[:cut]))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if n := bytes.Count(text[:cut], []byte("\n")); len(lines) != n || whole != int64(bytes.LastIndexByte(text[:cut], '\n')+1) {
			t.Fatalf("cut at %d: %d lines of %d, %d bytes", cut, len(lines), n, whole)
		}
	}
}

func TestBrokenRecordings(t *testing.T) {
	study := string(written(t)[:bytes.IndexByte(written(t), '\n')+1])
	const benchmark = `{"benchmark":{"pkg":"p","name":"X","procs":1}}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", "no study line"},
		{"no study", benchmark, "no study line"},
		{"half of a study", study[:20], "no study line"},
		{"a broken line", study + "{\"round\":\n" + benchmark, "line 2"},
		{"two lines in one", study + strings.TrimSpace(benchmark) + benchmark, "line 2"},
		{"a blank line", study + "\n" + benchmark, "line 2"},
		{"a newer schema", `{"study":{"schema":99}}` + "\n", "line 1: schema 99 is newer than 1"},
		{"a round of nothing", study + `{"round":{"b":0}}` + "\n", "line 2: round of unknown benchmark 0"},
		{"a round of less", study + benchmark + `{"round":{"b":-1}}` + "\n", "line 3: round of unknown benchmark -1"},
		{"a count of nothing", study + benchmark + `{"count":{"b":1}}` + "\n", "line 3: count of unknown benchmark 1"},
		{"a count of no variant", study + benchmark + `{"count":{"b":0,"v":2}}` + "\n", "line 3: count of unknown variant 2"},
		{"a block of nothing", study + benchmark + `{"block":{"b":1}}` + "\n", "line 3: block of unknown benchmark 1"},
		{"a stop of nothing", study + benchmark + `{"stop":{"b":7}}` + "\n", "line 3: stop of unknown benchmark 7"},
		{"a stop of no variant", study + benchmark + `{"stop":{"b":0,"variant":-1}}` + "\n", "line 3: stop of unknown variant -1"},
		{"an order of no variant", study + benchmark + `{"round":{"b":0,"order":[0,2]}}` + "\n", "line 3: round of unknown variant 2"},
		{"more slices than variants", study + benchmark + `{"round":{"b":0,"slices":[{"n":1},{"n":1},{"n":1}]}}` + "\n", "line 3: round of unknown variant 2"},
		{"a line before the study", benchmark + study, "no study line"},
		{"two studies", study + study, "line 2: a second study"},
	} {
		_, _, err := Read(strings.NewReader(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
		if test.want == "no study line" && !errors.Is(err, ErrNoStudy) {
			t.Errorf("%s: %v is not ErrNoStudy", test.name, err)
		}
	}
	broken := errors.New("disk gone")
	if _, _, err := Lines(iotest.ErrReader(broken)); !errors.Is(err, broken) {
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
	f.Add([]byte(`{"study":{"schema":1}}` + "\n" + `{"benchmark":{}}` + "\n" + `{"round":{"slices":[{"n":-1}]}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, whole, err := Lines(bytes.NewReader(text))
		if err != nil {
			return
		}
		if whole > int64(len(text)) {
			t.Fatalf("%d whole bytes of %d", whole, len(text))
		}
		var b bytes.Buffer
		w := NewWriter(&b)
		rec := new(Recording)
		for _, l := range lines {
			if err := w.Write(l); err != nil {
				t.Fatal(err)
			}
			rec.Append(l)
		}
		again, _, err := Lines(&b)
		if err != nil || len(again) != len(lines) {
			t.Fatalf("%d lines, then %d, %v", len(lines), len(again), err)
		}
		if err := WriteBenchmarks(&b, rec); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBlockThatBeginsAgain: only the rounds of its last try are on record;
// counting rounds may stand before the first round.
func TestBlockThatBeginsAgain(t *testing.T) {
	var rec Recording
	for _, r := range []Round{
		{Block: 0, Round: -1, Counting: true}, {Block: 0, Round: 0},
		{Block: 1, Round: 0}, {Block: 1, Round: 1}, {Block: 1, Round: 2},
		{Block: 1, Round: 0, At: 9}, {Block: 1, Round: 1, At: 9}, {Block: 1, Round: -1, At: 9, Counting: true},
		{Block: 2, Round: 0}, {Benchmark: 1, Block: 2, Round: 0},
	} {
		rec.Append(Line{Round: &r})
	}
	var got []string
	for _, r := range rec.Rounds {
		got = append(got, fmt.Sprint(r.Benchmark, r.Block, r.Round, r.At))
	}
	want := []string{"0 0 -1 0", "0 0 0 0", "0 1 0 9", "0 1 1 9", "0 1 -1 9", "0 2 0 0", "1 2 0 0"}
	if !slices.Equal(got, want) {
		t.Errorf("rounds on record (benchmark, block, round, time): %q, want %q", got, want)
	}
}
