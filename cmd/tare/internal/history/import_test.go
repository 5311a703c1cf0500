package history

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Any file that is no recording of a comparison is named with the reason, and
// nothing else is lost.
func TestImportLeavesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "studies/a/result.jsonl", `{"study":{"schema":99}}`+"\n")
	write(t, dir, "studies/b/result.jsonl", "BenchmarkA 1 10 ns/op\n")
	write(t, dir, "studies/b/benchmark.txt", "BenchmarkA 1 10 ns/op\n")
	write(t, dir, "studies/.c/result.jsonl", "hidden")
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	paths := []string{filepath.Join(dir, "studies"), empty, write(t, dir, "bench.txt", "BenchmarkA 1 10 ns/op\n")}
	git := func(context.Context, []byte, ...string) ([]byte, error) { return nil, os.ErrNotExist }
	out, err := Import(context.Background(), openFolder(filepath.Join(dir, "h")), Repository{git}, paths, time.Unix(0, 0))
	text, _ := json.Marshal(out)
	if err != nil || out.Rows != 0 || len(out.Left) != 4 {
		t.Fatalf("%s, %v", text, err)
	}
	for i, want := range []string{"schema 99", "not a recording", "no result.jsonl", "bench.txt: it is not a recording"} {
		if !strings.Contains(out.Left[i], want) {
			t.Errorf("left out %s, want %s", out.Left[i], want)
		}
	}
}
