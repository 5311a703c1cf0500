package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tarebench/tare/internal/result"
)

// studyFolder is where one study is kept: .tare/STAMP beside go.mod.
type studyFolder struct {
	path string
	file *os.File
	*result.Writer
}

// advise adds to an error of writing what to do about it.
func advise(err error, kind string, m measured) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		switch {
		case m.rec != nil && m.rec.End != nil && !m.rec.End.Interrupted:
			return fmt.Errorf("%w: make room; what was measured is complete: tare show %s", err, m.folder)
		case kind == "compare" && m.folder != "":
			return fmt.Errorf("%w: make room, then go on with tare compare -resume %s", err, m.folder)
		}
		return fmt.Errorf("%w: make room and start again", err)
	case errors.Is(err, errMakeFolder):
		return fmt.Errorf("%w: tare keeps its studies beside go.mod; make that folder writable, or work in a copy of it", err)
	}
	return err
}

// errMakeFolder is wrapped by every error of newStudyFolder.
var errMakeFolder = errors.New("make study folder")

// newStudyFolder makes the folder and opens result.jsonl in it. The folder
// .tare keeps itself out of git, through a .gitignore of its own.
func newStudyFolder(dir, kind string, now time.Time) (*studyFolder, error) {
	root := filepath.Join(moduleRoot(dir), ".tare")
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
	}
	ignore := filepath.Join(root, ".gitignore")
	if _, err := os.Stat(ignore); os.IsNotExist(err) {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o666); err != nil {
			return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
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
			return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
		}
		f, err := os.OpenFile(filepath.Join(path, "result.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errMakeFolder, err)
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
