package lintdriver

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// codeQualitySchema is the table of fields in GitLab's documentation as a
// schema.
const codeQualitySchema = `{
  "type": "array",
  "items": {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "additionalProperties": false,
    "properties": {
      "description": {"type": "string", "minLength": 1},
      "check_name": {"type": "string", "minLength": 1},
      "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
      "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
      "location": {
        "type": "object",
        "required": ["path", "lines"],
        "properties": {
          "path": {"type": "string", "pattern": "^[^./\\\\]"},
          "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}}
        }
      }
    }
  }
}`

func TestCodeQuality(t *testing.T) {
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(codeQualitySchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("codequality.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("codequality.json")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Join("..", "..", "lint", "testdata", "src"))
	if err != nil {
		t.Fatal(err)
	}
	list := findingsIn(t, dir)
	report := func(list []Diagnostic) []any {
		t.Helper()
		var out bytes.Buffer
		if err := (Report{Findings: list, Dir: dir}).Write(&out, "gitlab", nil, ""); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Error(err)
		}
		return value.([]any)
	}
	prints := func(issues []any) map[any]int {
		all := make(map[any]int)
		for _, issue := range issues {
			all[issue.(map[string]any)["fingerprint"]]++
		}
		return all
	}
	issues := report(list)
	if len(issues) != len(list) || len(list) < 20 {
		t.Fatalf("%d issues of %d findings", len(issues), len(list))
	}
	before := prints(issues)
	if len(before) != len(issues) {
		t.Errorf("%d fingerprints of %d issues", len(before), len(issues))
	}
	for i := range list { // moved by ten lines: the same findings
		list[i].Line += 10
	}
	for print := range prints(report(list)) {
		if before[print] == 0 {
			t.Errorf("fingerprint %v is new after a move", print)
		}
	}
	if len(report(nil)) != 0 {
		t.Error("no findings, and issues")
	}
}
