package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
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
	if err := watchBelow(w, "."); err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	for {
		s.exit(compare())
		fmt.Fprintln(s.err, "tare: waiting for a save (Ctrl-C ends)")
		if err := nextSave(ctx, w); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// watchBelow watches a directory and its subdirectories, but not those that tools
// keep their files in: .git, .tare.
func watchBelow(w *fsnotify.Watcher, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil // it has gone
		case path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		return w.Add(path)
	})
}

// nextSave waits until files were written and then none for settleTime. What was
// written during the comparison counts too.
func nextSave(ctx context.Context, w *fsnotify.Watcher) error {
	var over <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			return fmt.Errorf("watch files: %w", err)
		case e := <-w.Events:
			if info, err := os.Stat(e.Name); err == nil && info.IsDir() && e.Has(fsnotify.Create) {
				if err := watchBelow(w, e.Name); err != nil {
					return fmt.Errorf("watch files: %w", err)
				}
			}
			if compiled(e.Name) && !e.Has(fsnotify.Chmod) {
				over = time.After(settleTime)
			}
		case <-over:
			return nil
		}
	}
}

func compiled(path string) bool {
	name := filepath.Base(path)
	return !strings.HasPrefix(name, ".") && slices.Contains([]string{".go", ".s", ".c", ".h", ".mod", ".sum", ".work", ".pgo"}, filepath.Ext(name))
}
