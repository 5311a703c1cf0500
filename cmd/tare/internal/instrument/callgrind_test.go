package instrument

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A handmade profile after the format's specification: a call, recursion, inlined
// code and two parts.
const handmade = `# callgrind format
version: 1
creator: by hand
part: 1
desc: Trigger: Client Request: tare-2
positions: line
events: Ir
summary: 999

ob=/bin/x
fl=a.go
fn=pkg.work
10 5
12 7
12 1
fi=b.go
3 100
fe=a.go
calls=4 20
15 1000
fn=pkg.work'2
12 2
fn=testing.tareRegionStop
5 50
totals: 1165

part: 2
desc: Trigger: Program termination
positions: line
events: Ir
fl=a.go
fn=pkg.work
0 8
`

func TestParseCallgrind(t *testing.T) {
	parts, err := parseCallgrind(strings.NewReader(handmade))
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) != 2 || parts[0].Label != "tare-2" || parts[1].Label != "" {
		t.Fatalf("parts = %+v", parts)
	}
	work := parts[0].Self[Place{"pkg.work", "a.go"}]
	if work == nil {
		t.Fatalf("no pkg.work in %+v", parts[0].Self)
	}
	// 5+7+1+100+2 of both levels of recursion, without the 1,000 of the call.
	if work.Instructions != 115 {
		t.Errorf("self cost of pkg.work = %d, want 115", work.Instructions)
	}
	if work.File != "b.go" || work.Line != 3 {
		t.Errorf("most expensive line of pkg.work = %s:%d, want b.go:3, which is inlined", work.File, work.Line)
	}
	if got := parts[1].Self[Place{"pkg.work", "a.go"}].Instructions; got != 8 {
		t.Errorf("second part = %d, want 8", got)
	}

	s, err := reduce(parts, 2)
	if err != nil {
		t.Fatal(err)
	}
	if s.instructions != 115 || s.intervals != 1 {
		t.Errorf("reduce = %+v, want 115 instructions in one interval, without the counting functions", s)
	}
	if _, err := reduce(parts, 3); err == nil {
		t.Error("reduce found 3 iterations in a file that has 2")
	}
}

func TestParseCallgrindRefuses(t *testing.T) {
	for _, text := range []string{
		"", "version: 1\n",
		"12 34\n",
		"events: Ir\n12 34 56\n",
		"events: Ir\n12 x\n",
		"positions: instr line\nevents: Ir\n",
		"events: Ir\n+x 3\n",
		"events:\n",
		"events: Ir Dr\n",
		"nonsense\n",
	} {
		if parts, err := parseCallgrind(strings.NewReader(text)); err == nil {
			t.Errorf("parseCallgrind(%q) = %+v, want an error", text, parts)
		}
	}
}

// TestParseRecorded reads a profile that valgrind 3.19 wrote for a Go test
// binary. The sum of the self costs must be callgrind's own total of each part.
func TestParseRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/paused.callgrind")
	if err != nil {
		t.Fatal(err)
	}
	parts, err := parseCallgrind(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var totals []uint64
	for _, line := range strings.Split(string(text), "\n") {
		if v, ok := strings.CutPrefix(line, "totals: "); ok {
			var n uint64
			for _, c := range strings.TrimSpace(v) {
				n = 10*n + uint64(c-'0')
			}
			totals = append(totals, n)
		}
	}
	if len(totals) != len(parts) || len(parts) < 5 {
		t.Fatalf("%d parts, %d totals", len(parts), len(totals))
	}
	for i, p := range parts {
		var sum uint64
		for _, c := range p.Self {
			sum += c.Instructions
		}
		if sum != totals[i] {
			t.Errorf("part %d: self costs add up to %d, callgrind has %d", i+1, sum, totals[i])
		}
	}
}

func FuzzParseCallgrind(f *testing.F) {
	f.Add(handmade)
	f.Add("events: Ir\nfl=a\nfn=b\n1 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		parts, err := parseCallgrind(strings.NewReader(text))
		if err != nil {
			return
		}
		if len(parts) == 0 {
			t.Fatal("no parts and no error")
		}
	})
}
