package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestKeepRemovesTheOldest: the newest studies stay, and so do a study that is
// measured and what is no study.
func TestKeepRemovesTheOldest(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".tare")
	study := func(i int) string { return filepath.Join(root, fmt.Sprintf("2026010%d-000000-run", i)) }
	others := []string{filepath.Join(root, "try"), filepath.Join(root, "20250101-000000-bisect")}
	for _, path := range append(others, study(1), study(2), study(3), study(4), study(5)) {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if f, err := openFolder(path); err != nil {
			t.Fatal(err)
		} else if err := f.close(); err != nil {
			t.Fatal(err)
		}
	}
	// It came with the files: it is not removed, and does not count.
	others = append(others, filepath.Join(root, "20260109-000000-run"))
	if err := os.CopyFS(others[2], os.DirFS(study(5))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(others[2], "result.jsonl"), []byte("{\"study\":{}}\n{\"block\":{\"b\":0}}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := newest(root, made); err == nil {
		t.Errorf("the newest is %s, which was copied", got)
	}
	measured, err := openFolder(study(1))
	if err != nil {
		t.Fatal(err)
	}
	defer measured.close()
	if n, err := Keep(filepath.Dir(root), 3, study(2)); n != 1 || err != nil {
		t.Errorf("removed %d, %v; want 1", n, err)
	}
	for _, path := range append(others, study(1), study(2), study(4), study(5)) {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(study(3)); !os.IsNotExist(err) {
		t.Errorf("%s stayed", study(3))
	}
	if first, again := FirstRemoval(filepath.Dir(root)), FirstRemoval(filepath.Dir(root)); !first || again {
		t.Errorf("the first removal is said: %t, again: %t", first, again)
	}
}

// TestFailedStudyIsNotTheNewest: a study of which every benchmark failed shows
// nothing.
func TestFailedStudyIsNotTheNewest(t *testing.T) {
	root := t.TempDir()
	for name, lines := range map[string]string{
		"20260101-000000-run": "{\"study\":{}}\n{\"benchmark\":{\"name\":\"X\"}}\n{\"block\":{\"b\":0}}\n",
		"20260102-000000-run": "{\"study\":{}}\n{\"benchmark\":{\"name\":\"X\"}}\n{\"stop\":{\"b\":0,\"reason\":\"failed\"}}\n",
	} {
		if err := os.Mkdir(filepath.Join(root, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name, "result.jsonl"), []byte(lines), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := newest(root, isFolder); err != nil || filepath.Base(got) != "20260101-000000-run" {
		t.Errorf("the newest is %s, %v", got, err)
	}
}
