package document

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// TestDocumentNamesOnce: JSON has the name of a benchmark once, for all units and
// columns, and a finding once. Nothing is lost.
func TestDocumentNamesOnce(t *testing.T) {
	noisy, own := finding.Finding{ID: "noisy", Message: "m"}, finding.Finding{ID: "own", Message: "m"}
	row := func(name, unit string, v int, findings ...finding.Finding) result.BenchmarkComparison {
		return result.BenchmarkComparison{Key: result.Key{Pkg: "p", Name: name, Procs: 2}, Unit: unit, NewVariant: v, Tests: "new",
			Old: result.Estimate{Center: 1, Lo: 1, Hi: 1, N: 8}, New: result.Estimate{Center: 2, Lo: 2, Hi: 2, N: 8}, Change: result.Change{Ratio: 2, Lo: 2, Hi: 2}, Findings: findings}
	}
	other := row("Named", "sec/op", 1)
	other.Config = map[string]string{"size": "7"}
	c := &result.Comparison{
		Variants: []result.Variant{{Label: "a"}, {Label: "b"}, {Label: "c"}},
		Benchmarks: []result.BenchmarkComparison{
			row("Named", "sec/op", 1, noisy), row("Named", "sec/op", 2), row("Named", "B/op", 1), row("Second", "sec/op", 1, noisy, own), other,
		},
		Findings: []finding.Finding{own},
	}
	c.Benchmarks[2].Findings = nil
	var b bytes.Buffer
	if err := result.WriteJSON(&b, c.Document()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{`"name": "Named"`: 2, `"name": "Second"`: 1, `"id": "noisy"`: 2, `"id": "own"`: 2, `"units"`: 3, `"tests": "new"`: 3} {
		if got := strings.Count(b.String(), text); got != want {
			t.Errorf("%s is there %d times, want %d", text, got, want)
		}
	}
	var back result.Comparison
	if err := Read(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Benchmarks, back.Benchmarks, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	// Another unit with the same finding does not repeat it.
	once := strings.Count(b.String(), `"noisy"`)
	c.Benchmarks[2].Findings = []finding.Finding{noisy}
	b.Reset()
	if err := result.WriteJSON(&b, c.Document()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), `"noisy"`); got != once {
		t.Errorf("the finding is there %d times, want %d", got, once)
	}
}
