package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/benchtab"
	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// ReadFiles reads benchmark files, recordings, and the recordings in study
// directories. An argument is [label=]FILE or [label=]FILE:VARIANT, which is one
// variant of a recording.
func ReadFiles(args []string, stdin io.Reader) ([]*benchtab.File, error) {
	inputs := benchtab.Inputs(args)
	variants := make([]string, len(inputs))
	for i := range inputs {
		in := &inputs[i]
		in.Path, variants[i] = splitVariant(in.Path)
		if info, err := os.Stat(in.Path); err == nil && info.IsDir() {
			folder := in.Path
			in.Path = filepath.Join(folder, "result.jsonl")
			if f, err := file.Open(folder, "result.jsonl"); err == nil {
				f.Close()
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("read study: %w: remove the study, or name a file", err)
			} else {
				if latest, err := newest(folder, isFolder); err == nil { // of .tare
					in.Path = filepath.Join(latest, "result.jsonl")
					continue
				}
				return nil, fmt.Errorf("read study %s: no result.jsonl in it: name the directory of one study in .tare, or a file", folder)
			}
		}
	}
	files, err := benchtab.ReadAll(inputs, stdin)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if variants[i] == "" {
			continue
		}
		labels := variantLabels(f)
		if !slices.Contains(labels, variants[i]) {
			return nil, fmt.Errorf("read %s: no variant %q in it, only %s", f.Path, variants[i], strings.Join(labels, ", "))
		}
		f.Variant, f.Label = variants[i], inputs[i].Label
	}
	return files, nil
}

// splitVariant splits FILE:VARIANT if FILE exists and the whole name does not.
func splitVariant(path string) (file, variant string) {
	if _, err := os.Stat(path); err == nil {
		return path, ""
	}
	for i := range path {
		if path[i] != ':' {
			continue
		}
		if _, err := os.Stat(path[:i]); err == nil {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}

// isResult reports whether an argument of ReadFiles names an existing file or
// study directory. A directory without a study does not count.
func isResult(arg string) bool {
	path, _ := splitVariant(arg)
	info, err := os.Stat(recordingOf(path))
	return err == nil && info.Mode().IsRegular()
}

// AreResults reports whether the arguments of a comparison are files of results. If
// one of them names a commit or the working tree, they are variants: a checkout may
// contain a file with the name of a branch.
func AreResults(ctx context.Context, args ...string) bool {
	for _, arg := range args {
		if !isResult(arg) {
			return false
		}
		spec, err := build.Parse(arg)
		if err != nil {
			continue
		}
		if spec.Revision == build.WorkingTree {
			return false
		}
		if _, err := process.GitIn(".")(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", spec.Revision+"^{commit}"); err == nil {
			return false
		}
	}
	return true
}

func variantLabels(f *benchtab.File) []string {
	if f.Recording == nil {
		return nil
	}
	return recordedLabels(f.Recording)
}

// OnePair returns an error if two files together contain more than two variants.
// The error tells the user to choose two.
func OnePair(files []*benchtab.File) error {
	if len(files) < 2 {
		return nil
	}
	several := false
	var example []string
	for _, f := range files {
		labels := variantLabels(f)
		if f.Variant != "" {
			labels = []string{f.Variant}
		}
		path := f.Path
		if filepath.Base(path) == "result.jsonl" {
			path = filepath.Dir(path)
		}
		several = several || len(labels) > 1
		if len(labels) > 0 {
			path += ":" + labels[len(labels)-1]
		}
		example = append(example, path)
	}
	if !several {
		return nil
	}
	return fmt.Errorf("choose a pair: name one variant of each, such as tare compare %s, or use tare show with one comparison", strings.Join(example, " "))
}

// FilterFiles keeps the benchmarks of benchmark files whose names match. It
// reports whether these files or a recording have any. Recordings stay whole,
// since JudgeFiles needs the whole recording to judge a part of it.
func FilterFiles(files []*benchtab.File, match func(string) bool) (any bool) {
	for _, f := range files {
		if f.Recording != nil {
			any = any || slices.ContainsFunc(f.Recording.Benchmarks, func(b result.Benchmark) bool { return match(b.Name) })
			continue
		}
		f.Series = slices.DeleteFunc(f.Series, func(one *benchtab.Series) bool { return !match(one.Name) })
		any = any || len(f.Series) > 0
	}
	return any
}

// FilesResult is the table of files.
type FilesResult struct {
	Comparison *result.Comparison
	// Recording is set if the only file is a recording. Otherwise Tables has the
	// samples of the files.
	Recording *result.Recording
	Tables    *benchtab.Tables
}

// FileDefaults are the default options of JudgeFiles. They keep every value
// for pictures.
func FileDefaults() benchtab.Options {
	return benchtab.Options{Alpha: DefaultAlpha, Confidence: 0.95, Delta: DefaultDelta, KeepOrder: true}
}

// JudgeFiles arranges files in tables and compares them. A single recording is
// judged by its paired rule, with its delta unless delta is given. With other
// files it counts as independent samples. From recordings it shows only
// matching benchmarks, or all if match is nil.
func JudgeFiles(files []*benchtab.File, o benchtab.Options, delta *float64, match func(string) bool) (FilesResult, error) {
	if match == nil {
		match = func(string) bool { return true }
	}
	if len(files) == 1 && files[0].Recording != nil && files[0].Variant == "" {
		out := FilesResult{Recording: files[0].Recording}
		if delta != nil {
			out.Recording.Study.Delta = *delta
		}
		folder := ""
		if filepath.Base(files[0].Path) == "result.jsonl" {
			folder = filepath.Dir(files[0].Path)
		}
		gate := o.Gate
		if len(gate) == 0 {
			gate = out.Recording.Study.Output.Gate
		}
		c := judge.CompareSome(out.Recording, match, gate)
		c.Folder = folder
		out.Comparison, out.Recording = &c, filterRecording(out.Recording, match)
		return out, nil
	}
	var samples []*benchtab.File
	for _, f := range files {
		if f.Recording != nil {
			some := *f
			some.Recording = filterRecording(f.Recording, match)
			samples = append(samples, benchtab.Samples(&some)...)
		} else {
			samples = append(samples, f)
		}
	}
	tables, err := benchtab.Files(samples, o)
	if err != nil {
		return FilesResult{}, err
	}
	return FilesResult{Comparison: tables.Comparison(), Tables: tables}, nil
}

func filterRecording(rec *result.Recording, match func(string) bool) *result.Recording {
	out := *rec
	out.Benchmarks, out.Stops, out.Counts = nil, nil, nil
	index := make(map[int]int)
	for i, b := range rec.Benchmarks {
		if match(b.Name) {
			index[i] = len(out.Benchmarks)
			out.Benchmarks = append(out.Benchmarks, b)
		}
	}
	for _, s := range rec.Stops {
		if i, ok := index[s.Benchmark]; ok {
			s.Benchmark = i
			out.Stops = append(out.Stops, s)
		}
	}
	for _, c := range rec.Counts {
		if i, ok := index[c.Benchmark]; ok {
			c.Benchmark = i
			out.Counts = append(out.Counts, c)
		}
	}
	out.Changed = nil // the comparison says it
	return &out
}
