package bisect

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann O'Nym", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "add", name)
	runGit(t, dir, "commit", "-qm", name)
}

// repository has a, b, merge of (x, y), c on main. The tag v1 is at a.
func repository(t *testing.T) string {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	commit(t, dir, "a")
	runGit(t, dir, "tag", "v1")
	runGit(t, dir, "checkout", "-q", "-b", "side")
	commit(t, dir, "x")
	commit(t, dir, "y")
	runGit(t, dir, "checkout", "-q", "main")
	commit(t, dir, "b")
	runGit(t, dir, "merge", "-q", "--no-ff", "-m", "merge side", "side")
	commit(t, dir, "c")
	return dir
}

func parse(t *testing.T, text string) build.Spec {
	t.Helper()
	s, err := build.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func titles(points []result.Point) string {
	var all []string
	for _, p := range points {
		all = append(all, p.Title)
	}
	return strings.Join(all, " ")
}

func TestCommits(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), repository(t)
	points, err := commitsBetween(ctx, process.Run, dir, parse(t, "v1,tags=z"), parse(t, "HEAD,tags=z"))
	if err != nil {
		t.Fatal(err)
	}
	if got := titles(points); got != "a b merge side c" {
		t.Fatalf("commits %q", got)
	}
	if p := points[2]; !p.Merge || p.Author != "Ann O'Nym" || p.Variant != runGit(t, dir, "rev-parse", "HEAD~1")+",tags=z" {
		t.Errorf("the merge is %+v", p)
	}
	inside, err := mergedCommits(ctx, process.Run, dir, points[2])
	if err != nil {
		t.Fatal(err)
	}
	if len(inside) != 1 || titles(inside[0]) != "a x y" || !strings.HasSuffix(inside[0][1].Variant, ",tags=z") {
		t.Errorf("inside the merge: %+v", inside)
	}
	files, err := changedFiles(ctx, process.Run, dir, points[1], points[2])
	if got := strings.Join(files, " "); err != nil || got != "x y" {
		t.Errorf("files of the merge: %q, %v", got, err)
	}
}

func TestCommitsRefuses(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	runGit(t, dir, "checkout", "-q", "--orphan", "other")
	runGit(t, dir, "commit", "-qm", "other")
	runGit(t, dir, "checkout", "-q", "main")
	for _, test := range []struct{ good, bad, want string }{
		{"HEAD", "v1", "exchange them"},
		{"v1", "v1", "the same commit"},
		{"v1", ".", "is not a commit"},
		{"v1", "HEAD,tags=x", "differ in more than the revision"},
		{"v1", "other", "not an ancestor"},
		{"nope", "HEAD", "git log --oneline"},
	} {
		_, err := commitsBetween(context.Background(), process.Run, dir, parse(t, test.good), parse(t, test.bad))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s to %s: error %v, want %q", test.good, test.bad, err, test.want)
		}
	}
	bare := filepath.Join(t.TempDir(), "bare")
	runGit(t, dir, "clone", "-q", "--bare", dir, bare)
	if _, err := commitsBetween(context.Background(), process.Run, bare, parse(t, "v1"), parse(t, "HEAD")); err == nil || !strings.Contains(err.Error(), "bare") || !strings.Contains(err.Error(), "git clone") {
		t.Errorf("bare clone: error %v", err)
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	runGit(t, dir, "clone", "-q", "--depth=2", "file://"+dir, shallow)
	if _, err := commitsBetween(context.Background(), process.Run, shallow, parse(t, "HEAD~1"), parse(t, "HEAD")); err == nil || !strings.Contains(err.Error(), "unshallow") {
		t.Errorf("shallow clone: error %v", err)
	}
}

// A merge of three parents has two histories. A parent that joined the first
// parent's history before has the commits since then.
func TestMergedOctopus(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	commit(t, dir, "a")
	for _, side := range []string{"one", "two"} {
		runGit(t, dir, "checkout", "-q", "-b", side, "main")
		commit(t, dir, side+"-1")
		commit(t, dir, side+"-2")
	}
	runGit(t, dir, "checkout", "-q", "main")
	commit(t, dir, "b")
	runGit(t, dir, "merge", "-q", "--no-ff", "-m", "both", "one", "two")
	points, err := commitsBetween(ctx, process.Run, dir, parse(t, "HEAD~1"), parse(t, "HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	inside, err := mergedCommits(ctx, process.Run, dir, points[1])
	if err != nil || len(inside) != 2 || titles(inside[0]) != "a one-1 one-2" || titles(inside[1]) != "a two-1 two-2" {
		t.Errorf("inside the merge: %+v, %v", inside, err)
	}
}

// recorded answers go list with a recorded answer of the module proxy.
func recorded(text string) process.Exec {
	return func(context.Context, string, string, ...string) ([]byte, error) { return []byte(text), nil }
}

func TestModule(t *testing.T) {
	t.Parallel()
	list := recorded("golang.org/x/text v0.1.0 v0.2.0 v0.3.0-rc.1 v0.3.0 v0.10.0\n")
	points, err := moduleVersions(context.Background(), list, "", "golang.org/x/text", "v0.2.0", "v0.10.0")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range points {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "v0.2.0 v0.3.0 v0.10.0" {
		t.Errorf("versions %q", got)
	}
	parse(t, points[1].Variant)
	for _, ends := range [][2]string{{"v0.3.0", "v0.2.0"}, {"v0.2.0", "v0.9.0"}, {"0.2.0", "v0.3.0"}} {
		if _, err := moduleVersions(context.Background(), list, "", "golang.org/x/text", ends[0], ends[1]); err == nil {
			t.Errorf("%s to %s was accepted", ends[0], ends[1])
		}
	}
}

func TestReleases(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("golang.org/toolchain")
	for _, v := range []string{"go1.25.0", "go1.25rc1", "go1.24.9", "go1.26.0", "go1.25.10", "go1.25.9"} {
		for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-arm64", "linux-386", "windows-amd64", "darwin-amd64"} {
			b.WriteString(" v0.0.1-" + v + "." + platform)
		}
	}
	points, err := goReleases(context.Background(), recorded(b.String()), "", "1.24.9", "go1.26.0")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range points {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "go1.24.9 go1.25.0 go1.25.9 go1.25.10 go1.26.0" {
		t.Errorf("releases %q", got)
	}
	if s := parse(t, points[3].Variant); s.Go != "1.25.10" {
		t.Errorf("variant %q is Go %q", points[3].Variant, s.Go)
	}
}
