package result

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFileIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	full := errors.New("no space left")
	half := func(w io.Writer) error {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 1 {
			t.Errorf("a kill would leave %v, %v", entries, err)
		}
		_, err := io.WriteString(w, "ha")
		return errors.Join(err, full)
	}
	whole := func(w io.Writer) error {
		_, err := io.WriteString(w, "whole")
		return err
	}
	path := filepath.Join(dir, "report.html")
	if err := WriteFile(path, half); !errors.Is(err, full) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("a file that could not be written stays: %v, %v", entries, err)
	}
	if err := os.WriteFile(path, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		write func(io.Writer) error
		want  string
	}{{half, "before"}, {whole, "whole"}} {
		if err := WriteFile(path, c.write); (err != nil) != (c.want == "before") {
			t.Error(err)
		}
		text, err := os.ReadFile(path)
		info, serr := os.Stat(path)
		if entries, _ := os.ReadDir(dir); err != nil || serr != nil || string(text) != c.want || info.Mode() != before.Mode() || len(entries) != 1 {
			t.Errorf("%q, want %q, %v, %v, %v", text, c.want, info, entries, errors.Join(err, serr))
		}
	}
	link := filepath.Join(dir, "link.html")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, whole); err == nil || !strings.Contains(err.Error(), "it is a link") {
		t.Error(err)
	}
}
