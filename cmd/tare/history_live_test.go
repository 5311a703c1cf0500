package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLiveHistory records a repository of 100 commits with five steps of 6 to
// 30% on this machine, commit by commit as CI does, and looks for the steps.
// TARE_COMMITS is another number of commits.
func TestLiveHistory(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 records 100 commits, for half an hour")
	}
	n := 100
	if v, err := strconv.Atoi(os.Getenv("TARE_COMMITS")); err == nil {
		n = v
	}
	dir := t.TempDir()
	tool := filepath.Join(dir, "tare")
	if out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	repo := filepath.Join(dir, "decode")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = repo
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(repo, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(repo, 0o777); err != nil {
		t.Fatal(err)
	}
	run("git", "init", "-q")
	write("go.mod", "module example.org/decode\n\ngo 1.24\n")
	write("decode_test.go", liveBenchmarks)
	rounds, hashes := 500, []string{}
	steps := make(map[int]int) // by commit: the rounds from then on
	for i, to := range []int{530, 480, 600, 564, 720} {
		steps[(i+1)*n/6] = to
	}
	for k := range n {
		if to := steps[k]; to != 0 {
			rounds = to
		}
		write("decode.go", fmt.Sprintf(liveCode, rounds, k))
		write("README", fmt.Sprintln("commit", k))
		run("git", "add", "go.mod", "decode.go", "decode_test.go", "README")
		run("git", "commit", "-qm", fmt.Sprintf("decode: %d rounds (%d)", rounds, k))
		hashes = append(hashes, strings.TrimSpace(run("git", "rev-parse", "HEAD")))
		if k == 0 {
			run("git", "tag", "v1.0.0")
		}
	}
	began := time.Now()
	found := make(map[int]bool)
	change := regexp.MustCompile(`(?m)^(\S+): change at ([0-9a-f]+), .*$`)
	for k := 1; k < n; k++ {
		out := run(tool, "history", "record", "-commit", hashes[k], "-blocks", "11", "-budget", "5s", "-delta", "1%")
		t.Logf("commit %d after %.0f s:\n%s", k, time.Since(began).Seconds(), out)
		for _, m := range change.FindAllStringSubmatch(out, -1) {
			at := slices.IndexFunc(hashes, func(h string) bool { return strings.HasPrefix(h, m[2]) })
			if steps[at] == 0 || m[1] != "Decode" {
				t.Errorf("%s is no step", m[0])
			}
			found[at] = true
		}
	}
	t.Logf("%d commits recorded in %.0f s", n, time.Since(began).Seconds())
	t.Logf("\n%s", run(tool, "history"))
	t.Logf("\n%s", run(tool, "history", "-bench", "^Decode$"))
	for at := range steps {
		if !found[at] {
			t.Errorf("the step at commit %d was not found", at)
		}
	}
	run(tool, "history", "-o", "history.html")
	if status := run("git", "status", "--porcelain"); !strings.HasPrefix(status, "?? ") && status != "" {
		t.Errorf("the checkout changed:\n%s", status)
	}
}

const liveCode = `package decode

var Sink int

// Decode does %d rounds, as of commit %[2]d.
func Decode() int {
	s := 0
	for i := range %[1]d {
		s += i ^ Sink
	}
	return s
}

// Encode never changes.
func Encode() int {
	s := 0
	for i := range 400 {
		s ^= i + Sink
	}
	return s
}
`

const liveBenchmarks = `package decode

import "testing"

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		Decode()
	}
}

func BenchmarkEncode(b *testing.B) {
	for b.Loop() {
		Encode()
	}
}
`
