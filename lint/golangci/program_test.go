package golangci

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// golangciVersion is the golangci-lint that TestProgram builds.
const golangciVersion = "v2.15.0"

// TestProgram builds a golangci-lint with the adapter in it, as golangci-lint
// custom does (which wants to clone a repository), and runs it over the
// lessons in samples/.
func TestProgram(t *testing.T) {
	if os.Getenv("TARE_LONG") == "" {
		t.Skip("fetches and builds golangci-lint, which takes minutes the first time: set TARE_LONG=1")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": fmt.Sprintf(`module golangcilint

go 1.26.0

require (
	github.com/golangci/golangci-lint/v2 %s
	github.com/tarebench/tare v0.0.0
	github.com/tarebench/tare/lint/golangci v0.0.0
)

replace (
	github.com/tarebench/tare => %s
	github.com/tarebench/tare/lint/golangci => %s
)
`, golangciVersion, root, filepath.Join(root, "lint", "golangci")),
		"main.go": `package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/tarebench/tare/lint/golangci"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{Version: "` + golangciVersion[1:] + `"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitcodes.Failure)
	}
}
`,
		".golangci.yml": `version: "2"
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
          checks: [default]
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "golangci-lint")
	for _, argv := range [][]string{{"mod", "tidy"}, {"build", "-o", program, "."}} {
		cmd := exec.Command("go", argv...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(argv, " "), err, out)
		}
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
		"samples/paused/paused_test.go", "pausedloop: ", "samples/popcnt/popcnt_test.go", "deadresult: ", "5 issues",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in what golangci-lint says:\n%s", want, out)
		}
	}
}
