package history

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

func study(i int) Entry {
	return Entry{Study: &Study{
		Created: time.Unix(int64(i), 0).UTC(), Method: 2, Machine: "test",
		Old: Commit{Hash: fmt.Sprintf("%040d", i)}, New: Commit{Hash: fmt.Sprintf("%040d", i+1)},
		Rows: []Row{{Pkg: "p", Name: "A", Unit: "sec/op", LogRatio: 0.1, Lo: 0, Hi: 0.2, Blocks: 8, Verdict: "undecided"}},
	}}
}

func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	gitIn(t, dir, "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "add", "x")
	gitIn(t, dir, "-c", "user.name=u", "-c", "user.email=u@example.org", "commit", "-qm", "first")
	return dir
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestStores tests the common behavior of all stores.
func TestStores(t *testing.T) {
	stores := map[string]func(t *testing.T) store{
		"folder": func(t *testing.T) store { return openFolder(filepath.Join(t.TempDir(), "history")) },
		"git":    func(t *testing.T) store { return OpenRef(process.GitIn(repository(t))) },
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testStore(t, open(t))
		})
	}
}

func testStore(t *testing.T, s store) {
	ctx := context.Background()
	if names := list(t, s); len(names) != 0 {
		t.Fatalf("a new store lists %v", names)
	}
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			data, err := encode(study(i))
			if err == nil {
				err = s.Put(ctx, newFileName(time.Unix(int64(i), 0)), data)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	names := list(t, s)
	if len(names) != 20 {
		t.Fatalf("20 writers left %d files", len(names))
	}
	if err := s.Put(ctx, names[0], []byte("{}")); err == nil {
		t.Error("a file was written twice")
	}
	for _, bad := range []string{"../x.json", "a b", "", "20260101-000000-abcdefabcdef.json\nx"} {
		if err := s.Put(ctx, bad, []byte("{}")); err == nil {
			t.Errorf("the name %q was accepted", bad)
		}
	}
	for i, bad := range []string{"", "{", `{"schema":99}`, `{"schema":1,"study":{"rows":[{"name":"A","unit":"sec/op","logRatio":1e9}]}}`} {
		if err := s.Put(ctx, newFileName(time.Unix(int64(1000+i), 0)), []byte(bad)); err != nil {
			t.Fatal(err)
		}
	}
	files, skipped, err := load(ctx, s)
	if err != nil || len(files) != 20 || len(skipped) != 4 {
		t.Errorf("%d files and %d skipped: %v", len(files), len(skipped), err)
	}
	for i, f := range files {
		if f.Study.Rows[0] != study(i).Study.Rows[0] || f.Study.Old.Hash != study(i).Study.Old.Hash {
			t.Errorf("file %d came back as %+v", i, f.Study)
		}
	}
}

// list has the names of all files in a store.
func list(t *testing.T, s store) (names []string) {
	t.Helper()
	if err := s.Read(context.Background(), func(name string, _ []byte, _ error) { names = append(names, name) }); err != nil {
		t.Fatal(err)
	}
	return names
}

func put(t *testing.T, s store, i int) {
	t.Helper()
	data, err := encode(study(i))
	if err == nil {
		err = s.Put(context.Background(), newFileName(time.Unix(int64(i), 0)), data)
	}
	if err != nil {
		t.Fatal(err)
	}
}
