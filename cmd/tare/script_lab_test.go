//go:build lab

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestLongScript runs testdata/script/long/*.txtar as [TestScript] does.
func TestLongScript(t *testing.T) {
	p := params(recordings)
	p.Dir, p.UpdateScripts = "testdata/script/long", *update
	testscript.Run(t, p)
}

// TestRecordings measures what the recordings of scripts are made of, with -update
// into the folder of those that are checked in.
func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	if *update {
		dir = recordings
	}
	p := params(dir)
	p.Files = []string{filepath.Join(recordings, "make.txtar")}
	testscript.Run(t, p)
}
