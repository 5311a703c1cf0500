//go:build lab

package modules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestHistoryOfVersions records the last 20 versions of a real module as
// commits, one by one as CI does, and logs the history. TARE_VERSIONS changes
// the number of versions, and TARE_TOTAL the time for each. The change log of
// v2.4.0 reports a rewritten parser: that change must be found.
//
// TARE_LIVE is a directory that keeps the repository, so that the recording can
// be made in pieces of TARE_LIVE_TIME. Each piece continues with the next
// version. TARE_LIVE_TOOL is an already built tare.
func TestHistoryOfVersions(t *testing.T) {
	n, total, limit := 20, "90s", time.Duration(0)
	if v, err := strconv.Atoi(os.Getenv("TARE_VERSIONS")); err == nil {
		n = v
	}
	if v := os.Getenv("TARE_TOTAL"); v != "" {
		total = v
	}
	if v := os.Getenv("TARE_LIVE_TIME"); v != "" {
		var err error
		if limit, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	const path, rewritten = "github.com/pelletier/go-toml/v2", "v2.4.0"
	dir := os.Getenv("TARE_LIVE")
	if dir == "" {
		dir = t.TempDir()
	}
	tare := os.Getenv("TARE_LIVE_TOOL")
	if tare == "" {
		tare = filepath.Join(t.TempDir(), "tare")
		command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	}
	checkout, state := filepath.Join(dir, "checkout"), filepath.Join(dir, "progress")
	env := []string{"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
		"NO_COLOR=1", "TARE_LOCK=" + filepath.Join(dir, "lock")}
	var done struct {
		Versions []string
		Recorded int
		Seconds  float64
	}
	if data, err := os.ReadFile(state); err == nil {
		if err := json.Unmarshal(data, &done); err != nil {
			t.Fatal(err)
		}
	} else {
		listed := strings.Fields(command(t, t.TempDir(), []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, "go", "list", "-m", "-versions", path))
		done.Versions = listed[max(1, len(listed)-n):]
		if err := os.MkdirAll(checkout, 0o777); err != nil {
			t.Fatal(err)
		}
		commitAll(t, checkout, env, path, done.Versions...)
		command(t, checkout, env, "git", "tag", "anchor", command(t, checkout, env, "git", "rev-list", "--max-parents=0", "HEAD")[:40])
		done.Recorded = 1 // the first has no parent
	}
	hashes := strings.Fields(command(t, checkout, env, "git", "rev-list", "--reverse", "HEAD"))
	for began := time.Now(); done.Recorded < len(hashes) && (limit == 0 || time.Since(began) < limit); {
		from, k := time.Now(), done.Recorded
		out := command(t, checkout, env, tare, "history", "record", "-commit", hashes[k], "-total", total,
			"-bench", "^Benchmark(Unmarshal|Marshal|UnmarshalDataset)$/^(ReferenceFile|HugoFrontMatter|config|example)$", "./benchmark")
		done.Recorded++
		done.Seconds += time.Since(from).Seconds()
		t.Logf("%s after %.0f s, load %s:\n%s", done.Versions[k], done.Seconds, load(), out)
		data, err := json.Marshal(done)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(state, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d versions recorded in %.0f s", done.Recorded, len(hashes), done.Seconds)
	t.Logf("\n%s", command(t, checkout, env, tare, "history"))
	command(t, checkout, env, tare, "history", "-o", filepath.Join(dir, "history.html"))
	if done.Recorded < len(hashes) {
		t.Skipf("%d versions are left: TARE_LIVE=%s goes on", len(hashes)-done.Recorded, dir)
	}
	var history struct {
		Series []struct {
			Name    string
			Changes []struct{ Commit string }
		}
	}
	if err := json.Unmarshal([]byte(command(t, checkout, env, tare, "history", "-json")), &history); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool) // commits that changed Unmarshal
	for _, s := range history.Series {
		for _, c := range s.Changes {
			found[c.Commit] = found[c.Commit] || strings.HasPrefix(s.Name, "Unmarshal")
		}
	}
	for k, version := range done.Versions {
		if version == rewritten && k > 0 && !found[hashes[k]] {
			t.Errorf("the change of %s was not found", version)
		}
	}
}
