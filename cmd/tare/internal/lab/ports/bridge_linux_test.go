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
	// spool is the directory. root is the GOROOT that programs under Wine see, goroot
	// the real one. drive is drive C.
	spool, root, goroot, drive string
	// shown are the roots of paths in outputs.
	shown *regexp.Regexp
}

type bridged struct {
	Name, Dir string
	Args, Env []string
	Input     []byte
}

// newBridge makes a GOROOT with go.exe, and git.exe beside it, and answers until
// the test ends.
func newBridge(t *testing.T, dir, drive string) *bridge {
	t.Helper()
	goroot := strings.TrimSpace(run(t, exec.Command("go", "env", "GOROOT")))
	modules := strings.TrimSpace(run(t, exec.Command("go", "env", "GOPATH")))
	cache := strings.TrimSpace(run(t, exec.Command("go", "env", "GOCACHE")))
	b := &bridge{spool: filepath.Join(dir, "spool"), root: filepath.Join(dir, "goroot"), goroot: goroot, drive: drive}
	var roots []string
	for _, root := range []string{drive, dir, goroot, modules, cache, repository(t), os.TempDir()} {
		roots = append(roots, regexp.QuoteMeta(root))
	}
	b.shown = regexp.MustCompile(`(` + strings.Join(roots, "|") + `)[^\s"':;|]*`)
	bin := filepath.Join(b.root, "bin")
	for _, d := range []string{b.spool, bin} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	names, err := os.ReadDir(goroot)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name.Name() != "bin" {
			if err := os.Symlink(filepath.Join(goroot, name.Name()), filepath.Join(b.root, name.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(bin, "go.exe"), "./testdata/bridge")
	cmd.Env = append(os.Environ(), "GOOS=windows")
	run(t, cmd)
	data, err := os.ReadFile(filepath.Join(bin, "go.exe"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "git.exe"), data, 0o700); err != nil {
		t.Fatal(err)
	}
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
	cmd := exec.Command(c.Name)
	for _, arg := range c.Args {
		arg = b.unix(arg)
		if file, ok := strings.CutPrefix(arg, "-overlay="); ok {
			if data, err := os.ReadFile(file); err == nil {
				text := b.unix(strings.ReplaceAll(string(data), `\\`, `\`))
				_ = os.WriteFile(file+".unix", []byte(text), 0o600) // go reports its absence
				arg += ".unix"
			}
		}
		cmd.Args = append(cmd.Args, arg)
	}
	cmd.Dir = b.unix(c.Dir)
	cmd.Env = append(os.Environ(), "GOOS=windows", "CGO_ENABLED=0")
	for _, pair := range c.Env {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "GO") || strings.HasPrefix(name, "GIT_") || name == "PWD" {
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
	slash := `\`
	if len(c.Args) > 0 && strings.Contains(strings.Join(c.Args, " "), "-json") {
		slash = `\\`
	}
	text := strings.ReplaceAll(output.String(), `"GOHOSTOS": "linux"`, `"GOHOSTOS": "windows"`)
	answer.Output = []byte(b.windows(text, slash))
	answer.Words = []byte(b.windows(words.String(), `\`))
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
		if rest, ok := strings.CutPrefix(path, b.root); ok {
			return b.goroot + rest
		}
		return path
	})
}

// windows turns the paths in a text into those under Wine.
func (b *bridge) windows(text, slash string) string {
	return b.shown.ReplaceAllStringFunc(text, func(path string) string {
		if rest, ok := strings.CutPrefix(path, b.goroot); ok {
			path = b.root + rest
		}
		if rest, ok := strings.CutPrefix(path, b.drive); ok {
			return "C:" + strings.ReplaceAll(rest, "/", slash)
		}
		return "Z:" + strings.ReplaceAll(path, "/", slash)
	})
}
