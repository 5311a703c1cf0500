package judge

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComparisonIsJudgedOnce counts the calls of the judge in the command: some
// rows of a recording are judged in one place, files in one, and a gate is read
// in one.
func TestComparisonIsJudgedOnce(t *testing.T) {
	calls := map[string]int{"judge.CompareSome(": 0, "judge.Decide(": 0, "judge.GateOf(": 0}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return err
		case strings.Contains(path, "/internal/test/"): // recordings for tests
			return nil
		}
		text, err := os.ReadFile(path)
		for call := range calls {
			calls[call] += strings.Count(string(text), call)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for call, want := range map[string]int{"judge.CompareSome(": 1, "judge.Decide(": 1, "judge.GateOf(": 1} {
		if calls[call] != want {
			t.Errorf("%s is called in %d places, want %d", strings.TrimSuffix(call, "("), calls[call], want)
		}
	}
}
