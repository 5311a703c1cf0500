// Package objects compiles test binaries for tests, up to the link.
package objects

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Compile compiles the tests of a package with all dependencies. It returns the
// directory and the arguments of the linker command that would link them.
// Settings are flags of go build (-tags=x) and environment variables
// (GOAMD64=v3).
func Compile(t testing.TB, dir, pkg string, settings ...string) (linkDir string, args []string) {
	t.Helper()
	list := []string{"list", "-export", "-deps", "-test", "-f", "{{.ImportPath}}={{.Export}}"}
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	for _, s := range settings {
		if strings.HasPrefix(s, "-") {
			list = append(list, s)
		} else {
			env = append(env, s)
		}
	}
	cmd := exec.Command("go", append(list, pkg)...)
	cmd.Dir, cmd.Env = dir, env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	files, main := make(map[string]string), ""
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch path, variant, _ := strings.Cut(path, " "); {
		case strings.HasSuffix(path, ".test"):
			main = file
		case file == "": // unsafe
		case variant != "" || files[path] == "":
			files[path] = file
		}
	}
	var config strings.Builder
	for path, file := range files {
		fmt.Fprintf(&config, "packagefile %s=%s\n", path, file)
	}
	linkDir = t.TempDir()
	if err := os.WriteFile(filepath.Join(linkDir, "importcfg"), []byte(config.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return linkDir, []string{"-importcfg", "importcfg", "-buildid=x", main}
}
