package main

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
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
		{Verdict: attempt.Failed, Reason: "it does not build"},
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
	if err := validate(t, published, `{"schema":1,"verdict":"kept","exit":0,"changed":[]}`); err == nil {
		t.Error("an unknown verdict passes the schema")
	}
}
