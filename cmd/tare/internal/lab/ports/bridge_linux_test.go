//go:build lab

package ports

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// bridge runs the commands that testdata/bridge leaves in a directory.
type bridge struct {
	// spool is the directory, drive is drive C.
	spool, drive string
	// shown are the roots of paths in outputs.
	shown *regexp.Regexp
}

type bridged struct {
	Dir       string
	Args, Env []string
	Input     []byte
}

// newBridge makes git.exe in a directory, and answers until the test ends.
func newBridge(t *testing.T, bin, dir, drive string) *bridge {
	t.Helper()
	b := &bridge{spool: filepath.Join(dir, "spool"), drive: drive}
	var roots []string
	for _, root := range []string{drive, dir, repository(t), os.TempDir()} {
		roots = append(roots, regexp.QuoteMeta(root))
	}
	b.shown = regexp.MustCompile(`(` + strings.Join(roots, "|") + `)[^\s"':;|]*`)
	if err := os.Mkdir(b.spool, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(bin, "git.exe"), "./testdata/bridge")
	cmd.Env = append(os.Environ(), "GOOS=windows")
	run(t, cmd)
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	go b.answer(ended)
	return b
}

// answer runs the commands that arrive.
func (b *bridge) answer(ended chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(5 * time.Millisecond):
		}
		asked, _ := filepath.Glob(filepath.Join(b.spool, "*.json"))
		for _, file := range asked {
			data, err := os.ReadFile(file)
			var c bridged
			if err != nil || json.Unmarshal(data, &c) != nil || os.Remove(file) != nil {
				continue
			}
			go func() {
				answer, err := json.Marshal(b.run(c))
				id := strings.TrimSuffix(file, ".json")
				if err == nil && os.WriteFile(id+".tmp", answer, 0o600) == nil {
					_ = os.Rename(id+".tmp", id+".done") // the test ends
				}
			}()
		}
	}
}

func (b *bridge) run(c bridged) (answer struct {
	Output, Words []byte
	Code          int
}) {
	cmd := exec.Command("git")
	for _, arg := range c.Args {
		cmd.Args = append(cmd.Args, b.unix(arg))
	}
	cmd.Dir, cmd.Env = b.unix(c.Dir), os.Environ()
	for _, pair := range c.Env {
		if strings.HasPrefix(pair, "GIT_") || strings.HasPrefix(pair, "PWD=") {
			cmd.Env = append(cmd.Env, b.unix(pair))
		}
	}
	var output, words bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.Input), &output, &words
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		answer.Code = exit.ExitCode()
	case err != nil:
		answer.Code = 127
		words.WriteString(err.Error())
	}
	answer.Output, answer.Words = []byte(b.windows(output.String())), []byte(b.windows(words.String()))
	return answer
}

var windowsPath = regexp.MustCompile(`(?i)\b[cz]:[\\/][^\s"';|,]*`)

// unix turns the Windows paths in a text into those of Linux.
func (b *bridge) unix(text string) string {
	return windowsPath.ReplaceAllStringFunc(text, func(path string) string {
		drive, path := path[0], strings.ReplaceAll(path[2:], `\`, "/")
		if drive == 'C' || drive == 'c' {
			return b.drive + path
		}
		return path
	})
}

// windows turns the paths in a text into those under Wine.
func (b *bridge) windows(text string) string {
	return b.shown.ReplaceAllStringFunc(text, func(path string) string {
		if rest, ok := strings.CutPrefix(path, b.drive); ok {
			return "C:" + strings.ReplaceAll(rest, "/", `\`)
		}
		return zDrive(path)
	})
}
