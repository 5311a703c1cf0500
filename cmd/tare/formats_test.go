package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/perf/benchfmt"

	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/test/golden"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// exports are the formats with golden files here.
var exports = []struct{ format, ending string }{
	{"junit", "xml"}, {"html", "html"}, {"svg", "svg"},
}

func TestExportGolden(t *testing.T) {
	docs := map[string]report.Document{
		"compare": studies.Compared(studies.Study(8, 12, 8, 1)), // the eighth is undecided
		"run":     studies.Measured(studies.RunOf(studies.Study(5, 12, 8, 1))),
	}
	for name, d := range docs {
		for _, e := range exports {
			if e.format == "html" {
				continue // tested in a browser; half of it is uPlot
			}
			golden.Check(t, "export-"+name+"-"+e.format+"."+e.ending, []byte(render(t, e.format, d)))
		}
		var text bytes.Buffer
		if err := report.Distribution(&text, d, report.Options{}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "export-"+name+"-distribution.txt", text.Bytes())
	}
	var log bytes.Buffer
	if err := report.Annotations(&log, docs["compare"]); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "export-github-annotations.txt", log.Bytes())
}

func TestJSONMatchesItsSchema(t *testing.T) {
	rec := studies.Study(8, 12, 12, 1)
	rec.Benchmarks[0].Pilot = &result.Pilot{CPUs: "1"}
	docs := map[string]report.Document{"compare": studies.Compared(rec), "run": studies.Measured(studies.RunOf(rec))}
	change := []result.FunctionChange{{Name: "f", File: "f.go", Line: 3, Old: 1, New: 2}}
	docs["compare"].Comparison.Benchmarks[0].Functions = change
	smallest := &result.Interval{Lo: 0.05, Hi: 0.2}
	docs["compare"].Comparison.Blind = []result.Blind{{
		NewVariant: 1, Unknown: "settings differ", Weight: 0.3, Covered: 0.2, Worth: &result.Estimate{N: 1},
		Production: &result.Production{File: "default.pgo", Default: true, Seconds: 1, Matched: 0.9, Unmatched: 1},
		Functions: []result.Seen{{Name: "p.F", File: "f.go", Line: 3, By: result.ByBenchmark, Never: true, Reached: 1, ReachedBy: []result.Key{rec.Benchmarks[0].Key}, Samples: 200, Smallest: smallest, Allocates: true,
			Benchmarks: []result.SeenIn{{Key: rec.Benchmarks[0].Key, Share: result.Estimate{N: 200}, Smallest: smallest}}, Weight: &result.Weight{Total: 0.2, Own: 0.1}}},
	}}
	for name, d := range docs {
		schema := compileSchema(t, "../../docs/schema/compare.schema.json")
		text := render(t, "json", d)
		if err := validate(t, schema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The published schema lets fields be added; here each must be in it.
		if err := validate(t, strictSchema(t, "compare"), text); err != nil {
			t.Errorf("%s: a field is missing in docs/schema: %v", name, err)
		}
		if !strings.Contains(text, `"cpus": "1"`) {
			t.Errorf("%s: the processors are missing", name)
		}
		if !strings.Contains(text, `"gc_cpu_share": 0.`) {
			t.Errorf("%s: the runtime's counts are missing", name)
		}
		// A schema that takes everything tests nothing.
		for _, broken := range []string{
			strings.Replace(text, `"schema": 2`, `"schema": "2"`, 1),
			strings.Replace(text, `"name":`, `"nom":`, 1),
			strings.Replace(text, `"center":`, `"middle":`, 1),
		} {
			if broken == text {
				t.Fatalf("%s: the text to break is not there", name)
			}
			if validate(t, schema, broken) == nil {
				t.Errorf("%s: a broken document passes the schema", name)
			}
		}
	}
}

// TestGoLinesAreRead: x/perf reads a line for each block, benchmark and variant,
// with the variant as configuration.
func TestGoLinesAreRead(t *testing.T) {
	rec := studies.Study(3, 12, 8, 1)
	lines := make(map[string]int)
	r := benchfmt.NewReader(strings.NewReader(render(t, "go", studies.Compared(rec))), "go")
	for r.Scan() {
		switch line := r.Result().(type) {
		case *benchfmt.Result:
			if v, ok := line.Value("sec/op"); !ok || v <= 0 {
				t.Errorf("%s has no time", line.Name)
			}
			lines[line.GetConfig("variant")]++
		case *benchfmt.SyntaxError:
			t.Error(line)
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	want := map[string]int{rec.Study.Variants[0].Label: 36, rec.Study.Variants[1].Label: 36}
	if !maps.Equal(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
}

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// strictSchema is the schema without room for fields that it does not name.
func strictSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("../../docs/schema/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	value, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	var tighten func(v any)
	tighten = func(v any) {
		object, ok := v.(map[string]any)
		if !ok {
			return
		}
		if object["type"] == "object" && object["properties"] != nil {
			object["additionalProperties"] = false
		}
		for _, child := range object {
			tighten(child)
		}
	}
	tighten(value)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("strict.json", value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("strict.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestWriteRefuses(t *testing.T) {
	d := studies.Compared(studies.Study(1, 8, 4, 1))
	if err := writeDocument(io.Discard, "pdf", d, report.Options{}); err == nil || !strings.Contains(err.Error(), "pdf") {
		t.Errorf("format pdf: %v", err)
	}
}
