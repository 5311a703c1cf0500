package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/internal/result"
)

// exports are the formats of other tools, and ours that have a schema.
var exports = []struct{ format, ending string }{
	{"junit", "xml"}, {"github-benchmark", "json"}, {"bencher", "json"}, {"openmetrics", "txt"},
	{"html", "html"}, {"svg", "svg"},
}

func TestExportGolden(t *testing.T) {
	docs := map[string]Document{
		"compare": comparedDocument(madeStudy(8, 12, 8, 1)), // the eighth is undecided
		"run":     runDocument(madeRun(madeStudy(5, 12, 8, 1))),
	}
	for name, d := range docs {
		for _, e := range exports {
			if e.format == "html" {
				continue // tested in a browser; half of it is uPlot
			}
			golden(t, "export-"+name+"-"+e.format+"."+e.ending, []byte(render(t, e.format, d)))
		}
		var text bytes.Buffer
		if err := Distribution(&text, d, Options{ASCII: true}); err != nil {
			t.Fatal(err)
		}
		golden(t, "export-"+name+"-distribution.txt", text.Bytes())
	}
	var summary, log bytes.Buffer
	if err := GitHub(&summary, SummaryLimit, &log, docs["compare"]); err != nil {
		t.Fatal(err)
	}
	golden(t, "export-github-summary.md", summary.Bytes())
	golden(t, "export-github-annotations.txt", log.Bytes())
}

func TestJSONMatchesItsSchema(t *testing.T) {
	rec := madeStudy(8, 12, 12, 1)
	docs := map[string]Document{"compare": comparedDocument(rec), "run": runDocument(madeRun(rec))}
	change := []result.FunctionChange{{Name: "f", File: "f.go", Line: 3, Old: 1, New: 2}}
	docs["compare"].Comparison.Benchmarks[0].Functions = change
	docs["compare"].Comparison.Profiles = []result.ProfileChange{{Key: rec.Benchmarks[0].Key, Kind: "cpuprofile", OldFile: "a", NewFile: "b", Functions: change}}
	for name, d := range docs {
		schema := compileSchema(t, "../../docs/schema/"+name+".schema.json")
		text := render(t, "json", d)
		if err := validate(t, schema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The published schema lets fields be added; here each must be in it.
		if err := validate(t, strictSchema(t, name), text); err != nil {
			t.Errorf("%s: a field is missing in docs/schema: %v", name, err)
		}
		if !strings.Contains(text, `"gc_cpu_share": 0.`) {
			t.Errorf("%s: the runtime's counts are missing", name)
		}
		// A schema that takes everything tests nothing.
		for _, broken := range []string{
			strings.Replace(text, `"schema": 1`, `"schema": "1"`, 1),
			strings.Replace(text, `"name":`, `"nom":`, 1),
			strings.Replace(text, `"center":`, `"centre":`, 1),
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

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestTrackersMatchTheirSchemas holds the inputs of two trackers of history
// against what their documentation says; no registry has a reader of either.
func TestTrackersMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	rec := madeStudy(8, 12, 12, 1)
	rec.Benchmarks[0].Name = strings.Repeat("long", 300)
	for i := range rec.Rounds {
		if r := &rec.Rounds[i]; r.Benchmark == 0 {
			for v := range r.Slices {
				r.Slices[v].Metrics = map[string]float64{strings.Repeat("Ä?µ long unit ", 10) + "/op": 3}
			}
		}
	}
	for format, key := range map[string]string{"bencher": `"value"`, "github-benchmark": `"unit"`} {
		schema := compileSchema(t, "testdata/"+format+".schema.json")
		for name, d := range map[string]Document{"compare": comparedDocument(rec), "run": runDocument(madeRun(rec))} {
			text := render(t, format, d)
			if err := validate(t, schema, text); err != nil {
				t.Errorf("%s of a %s: %v", format, name, err)
			}
			if validate(t, schema, strings.Replace(text, key, `"other"`, 1)) == nil {
				t.Errorf("%s of a %s: a broken document passes", format, name)
			}
		}
	}
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

func TestJUnitCounts(t *testing.T) {
	d := comparedDocument(madeStudy(8, 12, 12, 1))
	d.Comparison.Benchmarks[0].Verdict = result.Failed
	var suites junitSuites
	if err := xml.Unmarshal([]byte(render(t, "junit", d)), &suites); err != nil {
		t.Fatal(err)
	}
	var tests, failures, broken int
	for _, s := range suites.Suites {
		for _, c := range s.Cases {
			tests++
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				broken++
			}
		}
	}
	if tests != suites.Tests || failures != suites.Failures || broken != suites.Errors || failures == 0 || broken == 0 {
		t.Errorf("counted %d tests, %d failures, %d errors; the file says %d, %d, %d", tests, failures, broken, suites.Tests, suites.Failures, suites.Errors)
	}
}

// python runs a script of a foreign reader on text, or skips by name where
// the reader is missing.
func python(t *testing.T, module, script, text string) string {
	t.Helper()
	if err := exec.Command("python3", "-c", "import "+module).Run(); err != nil {
		t.Skipf("no %s: apt-get install python3-%s, or pip install %s", module, strings.ReplaceAll(module, "_", "-"), module)
	}
	cmd := exec.Command("python3", "-c", script)
	cmd.Stdin = strings.NewReader(text)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s refuses it: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// TestOpenMetricsByPrometheusClient feeds the export to the reference parser.
func TestOpenMetricsByPrometheusClient(t *testing.T) {
	t.Parallel()
	rec := madeStudy(5, 12, 8, 1)
	for _, d := range []Document{comparedDocument(rec), runDocument(madeRun(rec))} {
		text := render(t, "openmetrics", d)
		got := python(t, "prometheus_client", `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(sum(len(f.samples) for f in parse(sys.stdin.read())))`, text)
		if want := strings.Count("\n"+text, "\ntare_"); fmt.Sprint(want) != got {
			t.Errorf("the reference parser reads %s samples, we wrote %d", got, want)
		}
	}
}

func TestJUnitByJunitparser(t *testing.T) {
	t.Parallel()
	d := comparedDocument(madeStudy(8, 12, 8, 1))
	got := python(t, "junitparser", `
import sys, junitparser
x = junitparser.JUnitXml.fromstring(sys.stdin.read().encode())
cases = [c for s in x for c in s]
kinds = [type(r).__name__ for c in cases for r in c.result]
print(x.tests, len(cases), x.failures, kinds.count("Failure"), kinds.count("Skipped"))`, render(t, "junit", d))
	if got != "8 8 1 1 1" {
		t.Errorf("junitparser reads tests, cases, failures, failed, skipped as %s, want 8 8 1 1 1", got)
	}
}

func TestPullRequestStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	c := largeDocument().Comparison
	for _, limit := range []int{60_000, 200_000, 1 << 20} {
		var b bytes.Buffer
		if err := PullRequest(&b, c, limit); err != nil {
			t.Fatal(err)
		}
		if b.Len() > limit {
			t.Errorf("limit %d: %d bytes", limit, b.Len())
		}
		if limit == 60_000 && !strings.Contains(b.String(), "left out to stay within") {
			t.Error("rows were dropped in silence")
		}
	}
}

// TestSummaryStaysWithinItsRoom: a step's summaries share 1 MiB, so that later
// ones have less of it; annotations come in any case.
func TestSummaryStaysWithinItsRoom(t *testing.T) {
	t.Parallel()
	compared := largeDocument()
	run := Document{Run: &result.Run{}}
	for i := range 20_000 {
		run.Run.Benchmarks = append(run.Run.Benchmarks, result.Measurement{Key: result.Key{Name: fmt.Sprintf("Benchmark with a long name %d", i)}, Unit: "sec/op", Value: result.Estimate{Center: 1e-6}})
	}
	for _, room := range []int{SummaryLimit, 400, 10, -5} {
		for name, d := range map[string]Document{"compare": compared, "run": run} {
			var summary, log bytes.Buffer
			if err := GitHub(&summary, room, &log, d); err != nil {
				t.Fatal(err)
			}
			if summary.Len() > max(0, room) {
				t.Errorf("%s: %d bytes where %d fit", name, summary.Len(), room)
			}
			if room < 20 && !strings.Contains(log.String(), "::warning title=tare::no room") {
				t.Errorf("%s: a summary was left out in silence", name)
			}
			if name == "compare" && !strings.Contains(log.String(), "::error title=") {
				t.Errorf("%s: no annotation", name)
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	d := comparedDocument(madeStudy(1, 8, 4, 1))
	if err := Write(io.Discard, "pdf", d, Options{}); err == nil || !strings.Contains(err.Error(), "pdf") {
		t.Errorf("format pdf: %v", err)
	}
	if err := Write(io.Discard, "text", Document{}, Options{}); err == nil {
		t.Error("an empty document was written")
	}
	if err := json.Unmarshal([]byte(render(t, "bencher", d)), &map[string]map[string]map[string]float64{}); err != nil {
		t.Errorf("Bencher Metric Format is numbers by benchmark, measure and bound: %v", err)
	}
}
