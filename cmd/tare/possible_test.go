package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/history"
	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// spoil replaces some numbers of a document by numbers that no measurement has. It
// fills what is empty, up to a depth.
func spoil(v reflect.Value, r *rand.Rand, fill int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() && fill > 0 {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			spoil(v.Elem(), r, fill-1)
		}
	case reflect.Slice:
		if v.Len() == 0 && fill > 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			spoil(v.Index(i), r, fill-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains([]string{"Alpha", "Delta", "Confidence"}, f.Name) {
				spoil(v.Field(i), r, fill)
			}
		}
	case reflect.Float64:
		if odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), -v.Float(), -1, 1e30}; fill > 0 || r.IntN(4) == 0 {
			v.SetFloat(odd[r.IntN(len(odd))])
		}
	}
}

var (
	impossible = regexp.MustCompile(`\bNaN\b|[+-]?\bInf\b|-0(\.0+)?(%| |,|$)`)
	code       = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>`)
)

// TestNoFormatHasImpossibleNumbers: whatever numbers a comparison or a run computes,
// no format has NaN, an infinity or a negative zero.
func TestNoFormatHasImpossibleNumbers(t *testing.T) {
	for seed := range uint64(12) {
		for name, d := range map[string]report.Document{
			"comparison": studies.Compared(studies.Study(8, 12, 8, 1)), "run": studies.Measured(studies.RunOf(studies.Study(5, 12, 8, 1))),
		} {
			spoil(reflect.ValueOf(d.Comparison), rand.New(rand.NewPCG(seed, 3)), 0)
			for _, f := range formats {
				var b bytes.Buffer
				if f.compares && name == "run" {
					continue
				}
				if err := writeDocument(&b, f.name, d, report.Options{Verbose: true}); err != nil {
					if f.name != "hgrm" { // these have no percentiles
						t.Errorf("seed %d, %s of a %s: %v", seed, f.name, name, err)
					}
					continue
				}
				for line := range strings.Lines(code.ReplaceAllString(b.String(), "")) {
					if found := impossible.FindString(strings.TrimRight(line, "\n")); found != "" {
						t.Errorf("seed %d, %s of a %s has %q: %s", seed, f.name, name, found, line)
					}
				}
			}
		}
	}
}

// TestEveryDocumentIsPossible: whatever numbers a verb computes, its document is
// JSON, and has no negative time and no negative zero.
func TestEveryDocumentIsPossible(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		for _, document := range []any{&result.Comparison{}, &result.Bisection{}, &result.SelfTest{}, &explain.Explained{}, &machine.Diagnosis{},
			&attempt.Result{}, &attempt.Line{}, &history.Entry{}, &lintdriver.Report{}, &result.Brief{}, &result.Machine{}} {
			spoil(reflect.ValueOf(document), r, 6)
			var b bytes.Buffer
			if c, ok := document.(*result.Comparison); ok {
				document = c.Document()
			}
			if err := result.WriteJSON(&b, document); err != nil {
				t.Errorf("seed %d, %T: %v", seed, document, err)
				continue
			}
			if strings.Contains(b.String(), ": -0,") || strings.Contains(b.String(), ": -0\n") {
				t.Errorf("seed %d, %T has a negative zero", seed, document)
			}
			var read any
			if err := json.NewDecoder(&b).Decode(&read); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			for _, name := range negative(read, "") {
				t.Errorf("seed %d, %T: %s is negative", seed, document, name)
			}
		}
	}
}

// negative are the names of the times below 0 in a document.
func negative(v any, name string) (names []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			names = append(names, negative(x, k)...)
		}
	case []any:
		for _, x := range v {
			names = append(names, negative(x, name)...)
		}
	case float64:
		if lower := strings.ToLower(name); v < 0 && (strings.Contains(lower, "second") || strings.Contains(lower, "time")) {
			names = append(names, name)
		}
	}
	return names
}
