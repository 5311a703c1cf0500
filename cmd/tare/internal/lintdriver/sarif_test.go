package lintdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tarebench/tare/cmd/tare/lint"
)

// sarifLog is the part of a log that the tests read.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Rules []struct{ ID string } }
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Locations []struct {
				PhysicalLocation struct{ Region sarifRegion }
			}
			Fixes []any
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
	}
}

type sarifRegion struct{ StartLine, StartColumn, EndLine, EndColumn int }

// sarifOf is the log of the findings in dir, and its bytes.
func sarifOf(t *testing.T, dir string, list []Diagnostic) (sarifLog, []byte) {
	t.Helper()
	var out bytes.Buffer
	if err := (Report{Dir: dir, Findings: list}).Write(&out, "sarif", lint.Checks(), "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	return log, out.Bytes()
}

// TestSARIFSchema holds the log of the fixtures of package lint, fixes
// included, and an empty one against the standard's own schema.
func TestSARIFSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(filepath.Join("testdata", "sarif", "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text []byte) error {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "lint", "testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	list := findingsIn(t, dir)
	log, text := sarifOf(t, dir, list)
	fixes := 0
	for _, r := range log.Runs[0].Results {
		fixes += len(r.Fixes)
		if rule := log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID; rule != r.RuleID {
			t.Errorf("a finding of %s points at the rule %s", r.RuleID, rule)
		}
	}
	if len(log.Runs[0].Results) < len(lint.Checks()) || fixes == 0 {
		t.Fatalf("%d results with %d fixes are too few to test", len(log.Runs[0].Results), fixes)
	}
	if err := validate(text); err != nil {
		t.Errorf("findings: %v", err)
	}
	if _, none := sarifOf(t, dir, nil); validate(none) != nil {
		t.Errorf("no findings: %v", validate(none))
	}
	for _, broken := range [][2]string{
		{`"ruleId"`, `"rule"`}, {`"startLine": `, `"startLine": -`}, {`"level": "error"`, `"level": "severe"`}, {`"2.1.0"`, `"2.2"`},
	} {
		if text := strings.Replace(string(text), broken[0], broken[1], 1); validate([]byte(text)) == nil {
			t.Errorf("%s instead of %s passes the schema", broken[1], broken[0])
		}
	}
}

// TestSARIFColumns: SARIF counts columns in UTF-16 units, Go in bytes.
func TestSARIFColumns(t *testing.T) {
	const line = "\t/* ä€😀 */ x"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n"+line+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := strings.Index(line, "x") + 1
	list := []Diagnostic{{File: filepath.Join(dir, "p.go"), Line: 2, Column: at, EndLine: 2, EndColumn: at + 1}}
	list[0].ID = lint.Checks()[0].Name
	log, _ := sarifOf(t, dir, list)
	got := log.Runs[0].Results[0].Locations[0].PhysicalLocation.Region
	// Before x: tab, /*, space, three letters of 1, 1 and 2 units, space, */, space.
	if want := (sarifRegion{2, 13, 2, 14}); got != want {
		t.Errorf("region %+v, want %+v", got, want)
	}
}

// findingsIn runs all checks over the module in dir.
func findingsIn(t *testing.T, dir string) []Diagnostic {
	t.Helper()
	pkgs, broken, err := Load(context.Background(), Options{Dir: dir}, "./...")
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	list, err := Run(pkgs, lint.Checks())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSARIFBroken names the packages that were not checked.
func TestSARIFBroken(t *testing.T) {
	var out bytes.Buffer
	if err := (Report{Dir: t.TempDir(), Broken: []error{errors.New("load package p: no")}}).Write(&out, "sarif", nil, ""); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	got := log.Runs[0].Invocations[0]
	if got.ExecutionSuccessful || len(got.ToolExecutionNotifications) != 1 || got.ToolExecutionNotifications[0].Message.Text != "load package p: no" {
		t.Errorf("invocation %+v", got)
	}
}
