package file

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestOnlyOwnFilesAreChanged: what leads out of a directory, or is known by
// another name, is neither read nor changed.
func TestOnlyOwnFilesAreChanged(t *testing.T) {
	top := t.TempDir()
	dir, victim := filepath.Join(top, "study"), filepath.Join(top, "victim")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.WriteFile(victim, []byte("precious"), 0o666))
	check(os.WriteFile(filepath.Join(dir, "own"), []byte("old"), 0o666))
	check(os.WriteFile(filepath.Join(dir, "large"), nil, 0o666))
	check(os.Truncate(filepath.Join(dir, "large"), Small+1))
	check(os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	links := map[string]string{"out": "../victim", "far": victim, "loop": "loop", "device": "/dev/zero", "inside": "own", "dangling": "../new"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if runtime.GOOS != "windows" {
		check(os.Link(victim, filepath.Join(dir, "hard")))
		fifo(t, filepath.Join(dir, "fifo"))
	}
	refused := []string{"out", "far", "loop", "device", "dangling", "folder", "fifo", "../victim", "large"}
	for _, name := range refused {
		if data, err := Read(dir, name); err == nil {
			t.Errorf("read %d bytes of %s", len(data), name)
		}
	}
	for _, name := range append(refused[:len(refused)-1], "hard", "inside") {
		if runtime.GOOS == "windows" && name == "hard" {
			continue
		}
		for _, flags := range []int{os.O_RDWR | os.O_CREATE | os.O_TRUNC, os.O_WRONLY | os.O_APPEND | os.O_CREATE} {
			if f, err := Change(dir, name, flags); err == nil {
				f.Close()
				t.Errorf("%s was opened for writing", name)
			}
		}
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "precious" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
	if _, err := os.Lstat(filepath.Join(top, "new")); err == nil {
		t.Error("a link made a file outside")
	}
	f, err := Change(dir, "own", os.O_WRONLY|os.O_TRUNC)
	check(err)
	check(f.Close())
	if data, err := Read(dir, "own"); err != nil || len(data) != 0 {
		t.Errorf("own is %q, %v", data, err)
	}
}
