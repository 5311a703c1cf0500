package report

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// spoil replaces some numbers of a document by numbers that no measurement has.
func spoil(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), r)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), r)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Alpha" && f.Name != "Delta" && f.Name != "Confidence" {
				spoil(v.Field(i), r)
			}
		}
	case reflect.Float64:
		if odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), -v.Float(), 1e30}; r.IntN(4) == 0 {
			v.SetFloat(odd[r.IntN(len(odd))])
		}
	}
}

var impossible = regexp.MustCompile(`\bNaN\b|[+-]?\bInf\b|-0(\.0+)?(%| |$)`)

// TestNoImpossibleNumbers: whatever numbers a comparison or a run computes, no
// text contains NaN, an infinity or a negative zero.
func TestNoImpossibleNumbers(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		c, run := sampleComparison(), sampleRun()
		for i := range c.Benchmarks {
			c.Benchmarks[i].OldRuntime = &result.RuntimeCounts{GCs: 1, GCShare: 0.1, User: 1e-6, System: -1e-9}
		}
		for name, d := range map[string]Document{"comparison": {Comparison: c}, "run": {Comparison: run}} {
			spoil(reflect.ValueOf(&d), r)
			result.Possible(&d)
			if name == "comparison" {
				if u := d.Comparison.Benchmarks[0].OldRuntime; u.User < 0 || u.System < 0 || u.GCShare < 0 {
					t.Fatalf("seed %d: CPU time %+v", seed, u)
				}
			}
			for format, write := range map[string]func(io.Writer) error{
				"text":         func(w io.Writer) error { return Text(w, d, Options{Verbose: true}) },
				"markdown":     func(w io.Writer) error { return Markdown(w, d) },
				"csv":          func(w io.Writer) error { return CSV(w, d) },
				"junit":        func(w io.Writer) error { return JUnit(w, d) },
				"line":         func(w io.Writer) error { return ComparisonBrief(w, d) },
				"svg":          func(w io.Writer) error { return SVG(w, d) },
				"json":         func(w io.Writer) error { return result.WriteJSON(w, d.Comparison.Document()) },
				"pull-request": func(w io.Writer) error { return PullRequest(w, d, CommentLimit) },
				"benchstat":    func(w io.Writer) error { return Benchstat(w, d) },
			} {
				if name == "run" && (format == "junit" || format == "line" || format == "benchstat") {
					continue
				}
				var b bytes.Buffer
				if err := write(&b); err != nil && format == "svg" {
					continue // no number is known
				} else if err != nil {
					t.Fatalf("seed %d, %s of a %s: %v", seed, format, name, err)
				}
				if found := impossible.FindString(b.String()); found != "" {
					t.Fatalf("seed %d, %s of a %s has %q:\n%s", seed, format, name, found, b.String())
				}
			}
		}
	}
}
