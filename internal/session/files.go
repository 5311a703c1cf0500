package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/internal/benchfile"
	"github.com/tarebench/tare/internal/benchtab"
	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/result"
)

// ReadFiles reads benchmark files, recordings, and the recordings in folders
// of studies. An argument is [label=]FILE.
func ReadFiles(args []string, stdin io.Reader) ([]*benchfile.File, error) {
	inputs := benchfile.Inputs(args)
	for i, in := range inputs {
		if info, err := os.Stat(in.Path); err == nil && info.IsDir() {
			inputs[i].Path = filepath.Join(in.Path, "result.jsonl")
			if _, err := os.Stat(inputs[i].Path); errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("read study %s: it holds no result.jsonl: name the folder of one study under .tare, or a file", in.Path)
			}
		}
	}
	return benchfile.ReadAll(inputs, stdin)
}

// FilterFiles keeps the benchmarks whose names match, and reports whether there
// are any.
func FilterFiles(files []*benchfile.File, match func(string) bool) (any bool) {
	for _, f := range files {
		if f.Recording != nil {
			f.Recording = Filter(f.Recording, match)
			any = any || len(f.Recording.Benchmarks) > 0
			continue
		}
		f.Series = slices.DeleteFunc(f.Series, func(one *benchfile.Series) bool { return !match(one.Name) })
		any = any || len(f.Series) > 0
	}
	return any
}

// FilesResult is what files show: a comparison, or a run where there is one side
// only.
type FilesResult struct {
	Comparison *result.Comparison
	Run        *result.Run
	// Recording is the one file where that is a recording, else Tables are
	// the samples of the files.
	Recording *result.Recording
	Tables    *benchtab.Tables
}

// JudgeFiles lays files out and compares them. One recording is judged by its
// own, paired rule, with its own delta unless delta is given; with other files
// it counts as independent samples.
func JudgeFiles(files []*benchfile.File, o benchtab.Options, delta *float64) (FilesResult, error) {
	if len(files) == 1 && files[0].Recording != nil {
		out := FilesResult{Recording: files[0].Recording}
		if delta != nil {
			out.Recording.Study.Delta = *delta
		}
		folder := ""
		if filepath.Base(files[0].Path) == "result.jsonl" {
			folder = filepath.Dir(files[0].Path)
		}
		if len(out.Recording.Study.Variants) > 1 {
			c := Compare(out.Recording)
			c.Folder = folder
			out.Comparison = &c
		} else {
			r := Measure(out.Recording)
			r.Folder = folder
			out.Run = &r
		}
		return out, nil
	}
	var samples []*benchfile.File
	for _, f := range files {
		if f.Recording != nil {
			samples = append(samples, lockstep.Samples(f)...)
		} else {
			samples = append(samples, f)
		}
	}
	tables, err := benchtab.Files(samples, o)
	if err != nil {
		return FilesResult{}, err
	}
	out := FilesResult{Tables: tables}
	if tables.Single() {
		out.Run = tables.Run()
	} else {
		out.Comparison = tables.Comparison()
	}
	return out, nil
}
