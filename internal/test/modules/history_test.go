package modules

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestHistoryOfVersions records the last 20 versions of a real module as
// commits, one by one as CI does, and logs the history. TARE_VERSIONS is
// another number of versions, TARE_TOTAL another time for each. The change log
// of v2.4.0 says that the parser was rewritten: that change must be found.
func TestHistoryOfVersions(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("TARE_LONG=1 fetches 20 versions of a module and records them, for half an hour")
	}
	n, total := 20, "90s"
	if v, err := strconv.Atoi(os.Getenv("TARE_VERSIONS")); err == nil {
		n = v
	}
	if v := os.Getenv("TARE_TOTAL"); v != "" {
		total = v
	}
	const path, rewritten = "github.com/pelletier/go-toml/v2", "v2.4.0"
	dir := t.TempDir()
	tare := filepath.Join(dir, "tare")
	command(t, root, nil, "go", "build", "-o", tare, "./cmd/tare")
	listed := strings.Fields(command(t, dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod"}, "go", "list", "-m", "-versions", path))
	versions := listed[max(1, len(listed)-n):]
	checkout := filepath.Join(dir, "checkout")
	if err := os.Mkdir(checkout, 0o777); err != nil {
		t.Fatal(err)
	}
	env := []string{"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com",
		"NO_COLOR=1", "TARE_LOCK=" + filepath.Join(dir, "lock")}
	commitAll(t, checkout, env, path, versions...)
	hashes := strings.Fields(command(t, checkout, env, "git", "rev-list", "--reverse", "HEAD"))
	command(t, checkout, env, "git", "tag", "anchor", hashes[0])
	began, found := time.Now(), ""
	for k := 1; k < len(hashes); k++ {
		out := command(t, checkout, env, tare, "history", "record", "-commit", hashes[k], "-total", total,
			"-bench", "^Benchmark(Unmarshal|Marshal|UnmarshalDataset)$/^(ReferenceFile|HugoFrontMatter|config|example)$", "./benchmark")
		t.Logf("%s after %.0f s, load %s:\n%s", versions[k], time.Since(began).Seconds(), load(), out)
		found += out
	}
	t.Logf("%d versions recorded in %.0f s", len(hashes), time.Since(began).Seconds())
	t.Logf("\n%s", command(t, checkout, env, tare, "history"))
	command(t, checkout, env, tare, "history", "-o", filepath.Join(dir, "history.html"))
	for k, version := range versions {
		if version == rewritten && k > 0 && !regexp.MustCompile(`Unmarshal\S*: change at `+hashes[k][:10]).MatchString(found) {
			t.Errorf("the change of %s was not found", version)
		}
	}
}
