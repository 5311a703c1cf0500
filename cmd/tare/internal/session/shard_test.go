package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartBehindLongLines: a part is one whatever stands before its study, and a
// study without a plan is none.
func TestPartBehindLongLines(t *testing.T) {
	long := `{"finding":{"id":"x","message":"` + strings.Repeat("x", 70_000) + `"}}` + "\n"
	for text, want := range map[string]bool{
		long + `{"study":{"schema":2,"part":{"number":1,"of":2}}}` + "\n": true,
		long + `{"study":{"schema":2}}` + "\n":                            false,
		`{"study":null}` + "\n":                                           false,
		long:                                                              false,
	} {
		path := filepath.Join(t.TempDir(), "result.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := isPart(path); got != want {
			t.Errorf("%.20q… %.60q: %v, want %v", text, text[max(0, len(text)-60):], got, want)
		}
	}
}
