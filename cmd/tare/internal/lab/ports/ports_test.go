//go:build lab

package ports

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command and returns its standard output.
func run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, words.String())
	}
	return string(out)
}

func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
