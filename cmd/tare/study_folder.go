package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tarebench/tare/result"
)

// studyFolder is where one study is kept: .tare/STAMP beside go.mod.
type studyFolder struct {
	path string
	file *os.File
	*result.Writer
}

// newStudyFolder makes the folder and opens result.jsonl in it. The folder
// .tare keeps itself out of git, through a .gitignore of its own.
func newStudyFolder(dir, kind string, now time.Time) (*studyFolder, error) {
	root := filepath.Join(moduleRoot(dir), ".tare")
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("make study folder: %w: choose a writable folder, or run from one", err)
	}
	ignore := filepath.Join(root, ".gitignore")
	if _, err := os.Stat(ignore); os.IsNotExist(err) {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o666); err != nil {
			return nil, fmt.Errorf("make study folder: %w", err)
		}
	}
	stamp := now.Format("20060102-150405") + "-" + kind
	for n := 1; ; n++ {
		path := filepath.Join(root, stamp)
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		err := os.Mkdir(path, 0o777)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("make study folder: %w", err)
		}
		f, err := os.OpenFile(filepath.Join(path, "result.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, fmt.Errorf("make study folder: %w", err)
		}
		return &studyFolder{path, f, result.NewWriter(f)}, nil
	}
}

func (f *studyFolder) close() error { return f.file.Close() }

// moduleRoot finds the folder of go.mod at or above dir; dir itself where
// there is none.
func moduleRoot(dir string) string {
	for d := dir; ; {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		up := filepath.Dir(d)
		if up == d {
			return dir
		}
		d = up
	}
}

// read reads the recording back.
func (f *studyFolder) read() (*result.Recording, error) {
	r, err := os.Open(filepath.Join(f.path, "result.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	defer r.Close()
	rec, _, err := result.Read(r)
	return rec, err
}
