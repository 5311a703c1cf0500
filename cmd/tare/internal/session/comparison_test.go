package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/test/studies"
)

// TestSomeOfARecording: a row that is shown alone has the numbers that it has
// among the others, the adjusted p-value included.
func TestSomeOfARecording(t *testing.T) {
	judge := func(match func(string) bool) *result.Comparison {
		t.Helper()
		files := []*benchtab.File{{Path: "result.jsonl", Recording: studies.Study(16, 8, 10, 1)}}
		out, err := session.JudgeFiles(files, session.FileDefaults(), nil, match)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(out.Recording.Benchmarks); n != 16 && match == nil || n != 1 && match != nil {
			t.Fatalf("the recording keeps %d benchmarks", n)
		}
		return out.Comparison
	}
	all := judge(nil)
	adjusted := false
	for _, b := range all.Benchmarks {
		some := judge(func(name string) bool { return name == b.Name })
		if len(some.Benchmarks) != 1 {
			t.Fatalf("%s: %d rows", b.Name, len(some.Benchmarks))
		}
		if diff := cmp.Diff(b, some.Benchmarks[0]); diff != "" {
			t.Errorf("%s alone differs (-among all +alone):\n%s", b.Name, diff)
		}
		adjusted = adjusted || b.PHolm != nil && *b.PHolm > *b.P
	}
	if !adjusted {
		t.Error("no p-value is adjusted: the test shows nothing")
	}
}
