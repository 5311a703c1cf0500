package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// An editor writes several files, or one file several times. A save is over when
// nothing was written for settleTime.
const settleTime = 200 * time.Millisecond

// runWatch runs a comparison, and again after each save below the working
// directory, until ctx ends. A comparison that fails does not end the watch,
// because the next save may mend it.
func runWatch(ctx context.Context, s streams, compare func() error) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer w.Close()
	v := newSaves(w.Add)
	if _, err := v.watch(ctx, "."); err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	go v.collect(ctx, w)
	for {
		v.begin()
		s.exit(compare())
		if ctx.Err() != nil {
			return nil
		}
		fmt.Fprintln(s.err, "tare: waiting for a save (Ctrl-C ends)")
		if err := v.wait(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// saves collects the files written since the last comparison began. A file written
// during its build counts, because the build may not contain it.
type saves struct {
	git  process.Git
	add  func(dir string) error // to the watched directories
	more chan struct{}          // something was written

	mu sync.Mutex
	// written are the files; those that did not exist before are true.
	written map[string]bool
	// lost is set if the system dropped events.
	lost bool
	err  error
}

func newSaves(add func(dir string) error) *saves {
	v := &saves{git: process.GitIn("."), add: add, more: make(chan struct{}, 1)}
	v.begin()
	return v
}

// begin forgets what was written: the comparison that begins contains it.
func (v *saves) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.written, v.lost = make(map[string]bool), false
	select {
	case <-v.more:
	default:
	}
}

// collect reads events until the watcher is closed. It reads them during a comparison
// too, so that the queue of the system does not overflow.
func (v *saves) collect(ctx context.Context, w *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			v.event(ctx, e)
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			v.failed(err)
		}
	}
}

func (v *saves) event(ctx context.Context, e fsnotify.Event) {
	if e.Op == fsnotify.Chmod || ours(filepath.Base(e.Name)) {
		return
	}
	files := []string{e.Name}
	if info, err := os.Stat(e.Name); err == nil && info.IsDir() {
		if !e.Has(fsnotify.Create) {
			return
		}
		if files, err = v.watch(ctx, e.Name); err != nil { // files may be older than the watch
			v.failed(err)
			return
		}
	}
	v.mu.Lock()
	for _, name := range files {
		if _, known := v.written[name]; !known {
			v.written[name] = e.Has(fsnotify.Create)
		}
	}
	v.mu.Unlock()
	if len(files) > 0 {
		v.signal()
	}
}

func (v *saves) failed(err error) {
	v.mu.Lock()
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		v.lost = true
	} else if v.err == nil {
		v.err = fmt.Errorf("watch files: %w", err)
	}
	v.mu.Unlock()
	v.signal()
}

func (v *saves) signal() {
	select {
	case v.more <- struct{}{}:
	default:
	}
}

// wait waits until files that count were written, and then none for settleTime, or
// until ctx ends.
func (v *saves) wait(ctx context.Context) error {
	var over <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-v.more:
			over = time.After(settleTime)
		case <-over:
			if saved, err := v.saved(ctx); saved || err != nil {
				return err
			}
		}
	}
}

// saved reports whether something was written that counts: all files except those
// that git ignores, and those that came and went.
func (v *saves) saved(ctx context.Context) (bool, error) {
	v.mu.Lock()
	written, lost, err := v.written, v.lost, v.err
	v.written, v.lost = make(map[string]bool), false
	v.mu.Unlock()
	if lost || err != nil {
		return true, err
	}
	maps.DeleteFunc(written, func(name string, created bool) bool {
		_, err := os.Lstat(name)
		return created && errors.Is(err, fs.ErrNotExist)
	})
	names := slices.Collect(maps.Keys(written))
	return len(v.ignored(ctx, names)) < len(names), nil
}

// ignored returns the paths that git ignores: none outside of a repository.
func (v *saves) ignored(ctx context.Context, paths []string) map[string]bool {
	ignored := make(map[string]bool)
	if len(paths) == 0 {
		return ignored
	}
	out, _ := v.git(ctx, []byte(strings.Join(paths, "\x00")), "check-ignore", "--stdin", "-z") // fails if there are none
	for _, path := range process.Names(string(out)) {
		ignored[path] = true
	}
	return ignored
}

// watch watches a directory and its subdirectories, except those that git
// ignores or that git and tare keep their files in. It returns the files.
func (v *saves) watch(ctx context.Context, root string) (files []string, err error) {
	var directories []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // it has gone
		case path != root && ours(d.Name()):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case d.IsDir():
			directories = append(directories, path)
		default:
			files = append(files, path)
		}
		return nil
	})
	ignored := v.ignored(ctx, directories)
	for _, d := range directories {
		if ignored[d] {
			continue
		}
		if err := v.add(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return files, nil
}

// ours reports whether a file is of git, tare, or an editor that has a file open.
func ours(name string) bool {
	return name == ".git" || name == ".tare" || editors.MatchString(name)
}

// editors are the swap and backup files of Vim and Emacs.
var editors = regexp.MustCompile(`^\..*\.sw.$|^\.#|^#.*#$|~$`)
