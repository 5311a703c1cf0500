//go:build lab

package golangci

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgram builds a golangci-lint with the adapter in it and runs it over the
// lessons in samples/.
func TestProgram(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := `version: "2"
run:
  relative-path-mode: gomod
linters:
  default: none
  enable: [tare]
  settings:
    custom:
      tare:
        type: module
        settings:
          checks: [all]
`
	if err := os.WriteFile(filepath.Join(dir, ".golangci.yml"), []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "golangci-lint")
	if out, err := exec.Command("./build", "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.Command(program, "run", "-c", filepath.Join(dir, ".golangci.yml"), "./samples/...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOLANGCI_LINT_CACHE="+filepath.Join(dir, "cache"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 { // it found something
		t.Fatalf("golangci-lint run: %v\n%s", err, out)
	}
	for _, want := range []string{
		"samples/mistakes/mistakes_test.go", "bnsize: ", "bninput: ", "loopnoise: ",
		"samples/popcnt/popcnt_test.go", "deadresult: ", "4 issues",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the output of golangci-lint:\n%s", want, out)
		}
	}
}
