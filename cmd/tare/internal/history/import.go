package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// Imported is the outcome of an import.
type Imported struct {
	// Rows count the rows that were added, Known the comparisons that the
	// history has already.
	Rows, Known int
	// Left lists the skipped studies, with the reason.
	Left []string
}

// Import adds the comparisons of studies that were measured without -record. A
// path is a recording, or a directory that is searched for result.jsonl.
func Import(ctx context.Context, store Store, repo Repository, paths []string, now time.Time) (Imported, error) {
	files, _, err := load(ctx, store)
	if err != nil {
		return Imported{}, err
	}
	i := importing{store: store, repo: repo, now: now}
	for _, f := range files {
		if f.Study != nil {
			i.studies = append(i.studies, *f.Study)
		}
	}
	for _, path := range paths {
		recordings, err := findRecordings(path)
		if err != nil {
			return i.out, fmt.Errorf("import studies: %w", err)
		}
		if len(recordings) == 0 {
			i.leave(path, errors.New("no result.jsonl of tare is in it"))
		}
		for _, file := range recordings {
			if err := i.file(ctx, file); err != nil {
				return i.out, fmt.Errorf("import %s: %w", file, err)
			}
		}
	}
	return i.out, nil
}

// importing is an import under way.
type importing struct {
	store   Store
	repo    Repository
	now     time.Time
	studies []Study // of the store
	out     Imported
}

func (i *importing) leave(file string, why error) {
	i.out.Left = append(i.out.Left, fmt.Sprintf("%s: %v", file, why))
}

// file adds the comparisons of one recording.
func (i *importing) file(ctx context.Context, file string) error {
	rec, err := readRecording(file)
	if err != nil {
		i.leave(file, err)
		return nil
	}
	if len(rec.Study.Variants) < 2 {
		i.leave(file, errors.New("a study of one variant compares nothing"))
		return nil
	}
	studies, left, err := i.repo.studies(ctx, session.Compare(rec), rec.Study.Created)
	if err != nil { // such as a commit that is not in this repository
		i.leave(file, err)
		return ctx.Err()
	}
	for _, why := range left {
		i.leave(file, errors.New(why))
	}
	for _, study := range studies {
		if i.has(study) {
			i.out.Known++
			continue
		}
		if _, err := add(ctx, i.store, Entry{Study: &study}, i.now); err != nil {
			return err
		}
		i.studies = append(i.studies, study)
		i.out.Rows += len(study.Rows)
	}
	return nil
}

func readRecording(file string) (*result.Recording, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := bufio.NewReader(f)
	if head, _ := text.Peek(4096); !result.IsRecording(head) {
		return nil, errors.New("it is not a recording of tare; results of other tools are not imported")
	}
	rec, _, err := result.Read(text)
	return rec, err
}

// has reports whether the history has as much of the measurement already.
func (i *importing) has(s Study) bool {
	return slices.ContainsFunc(i.studies, func(old Study) bool {
		return old.SameMeasurement(s) && blocks(old) >= blocks(s)
	})
}

func blocks(s Study) (n int) {
	for _, r := range s.Rows {
		n += r.Blocks
	}
	return n
}

// findRecordings lists path itself if it is a file, and every result.jsonl of a
// directory, without hidden directories below it.
func findRecordings(path string) (files []string, err error) {
	err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case at == path && !d.IsDir(), d.Name() == "result.jsonl" && d.Type().IsRegular():
			files = append(files, at)
		case at != path && d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		return nil
	})
	return files, err
}
