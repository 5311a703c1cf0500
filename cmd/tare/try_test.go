package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// The line of every answer matches its schema, which names every field.
func TestLineMatchesItsSchema(t *testing.T) {
	strict, published := strictSchema(t, "line"), compileSchema(t, "../../docs/schema/line.schema.json")
	row := attempt.Row{Key: result.Key{Name: "Decode"}, Unit: "sec/op", Change: result.Change{Ratio: 0.9, Lo: 0.89, Hi: 0.91}}
	memory := attempt.Row{Key: result.Key{Name: "Encode"}, Unit: "B/op", Change: result.Change{Ratio: 1.5, Lo: 1.5, Hi: 1.5}}
	for _, a := range []attempt.Answer{
		{Verdict: attempt.Keep, Rows: []attempt.Row{row, row, row, row}},
		{Verdict: attempt.Revert, Reason: "Decode is faster, Encode allocates more", Rows: []attempt.Row{memory, row}},
		{Verdict: attempt.Again, Reason: "undecided", Rows: []attempt.Row{row}, SecondsNeeded: 3.2},
		{Verdict: attempt.Failed, Reason: "does not build: m.go:3:1: undefined: x"},
	} {
		var b bytes.Buffer
		r := attempt.Result{Attempt: attempt.Attempt{N: 7, Answer: a, Level: 0.001, Best: "3f1c2ab"}}
		if err := result.WriteBrief(&b, report.AttemptBrief(r, 0)); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*jsonschema.Schema{published, strict} {
			if err := validate(t, s, b.String()); err != nil {
				t.Errorf("%s: %v", b.String(), err)
			}
		}
	}
	// A comparison has the same line, whatever it is of.
	for blocks, want := range map[int]string{12: `"verdict":"mixed"`, 1: `"verdict":"undecided"`} {
		d := studies.Compared(studies.Study(30, 12, blocks, 1))
		for i := range d.Comparison.Benchmarks {
			d.Comparison.Benchmarks[i].Name += strings.Repeat("/name=µ", i%9)
		}
		d.Comparison.Folder, d.Exit = "/home/somebody/src/example.com/module/.tare/20261124-001549-compare", exitFound
		line := render(t, "line", d)
		for _, s := range []*jsonschema.Schema{published, strict} {
			if err := validate(t, s, line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		var b result.Brief
		if err := json.Unmarshal([]byte(line), &b); err != nil {
			t.Fatal(err)
		}
		sum := d.Comparison.Summary
		all := sum.Faster + sum.Slower + sum.Same + sum.Undecided + sum.Failed + sum.Skipped + sum.Missing + sum.NotReached
		if len(line) > result.BriefBytes || !strings.Contains(line, want) || b.Exit != exitFound || len(b.Changed)+b.Others != all {
			t.Errorf("%d bytes, %d benchmarks, want %s: %s", len(line), all, want, line)
		}
	}
	if err := writeDocument(io.Discard, "line", studies.Measured(studies.RunOf(studies.Study(1, 8, 4, 1))), report.Options{}); err == nil {
		t.Error("a run was written as a line")
	}
	if err := validate(t, published, `{"schema":1,"verdict":"kept","exit":0,"changed":[]}`); err == nil {
		t.Error("an unknown verdict passes the schema")
	}
}
