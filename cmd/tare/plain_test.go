package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// instrumented are the scripts that run the command with the race detector where
// the tests have it: those of its goroutines and processes. The others are about
// what it reports, and take half the time without.
var instrumented = map[string]bool{
	"compare": true, "error_after_block": true, "on_machines": true, "resume": true, "run": true, "two_workers_linux": true,
}

// plainFolder is a folder with the command tare, which is this test binary
// without the race detector (see TestMain).
var plainFolder struct {
	once sync.Once
	dir  string
	err  error
}

func plain() (dir string, err error) {
	p := &plainFolder
	p.once.Do(func() {
		if p.dir, p.err = os.MkdirTemp("", "tare-plain"); p.err != nil {
			return
		}
		if out, err := exec.Command("go", "test", "-c", "-o", filepath.Join(p.dir, "tare"), ".").CombinedOutput(); err != nil {
			p.err = fmt.Errorf("build the tests without the race detector: %w\n%s", err, out)
		}
	})
	return p.dir, p.err
}

// commandFile is the file of the command tare, which finds its name in the link
// that is made to it. Where instrumented is false it has no race detector.
func commandFile(t *testing.T, instrumented bool) string {
	t.Helper()
	if raceDetector && !instrumented {
		dir, err := plain()
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, "tare")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// tests removes what the tests share when they are done.
type tests struct{ *testing.M }

func (m tests) Run() int {
	defer func() { os.RemoveAll(plainFolder.dir) }()
	return m.M.Run()
}
