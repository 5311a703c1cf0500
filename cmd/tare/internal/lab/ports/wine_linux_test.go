//go:build lab

package ports

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// wine is a Windows with Go, built here, and tare's programs.
type wine struct {
	t *testing.T
	// root is GOROOT. The cache of builds is Linux's: an action has one name everywhere.
	dir, root, cache string
	bridge           *bridge
}

func zDrive(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }

// programs are the names of Wine's loader.
var programs = []string{"wine64", "/usr/lib/wine/wine64"}

func newWine(t *testing.T) *wine {
	t.Helper()
	loader := ""
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil && loader == "" {
			loader = path
		}
	}
	if loader == "" {
		t.Skip("wine64 is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &wine{t: t, dir: dir, root: filepath.Join(dir, "goroot"), cache: strings.TrimSpace(run(t, exec.Command("go", "env", "GOCACHE")))}
	if err := os.Symlink(loader, filepath.Join(dir, "wine64")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.command(context.Background(), dir, "wineboot", "-k").Run() // what still runs ends
		for range 100 {
			if os.RemoveAll(filepath.Join(dir, "prefix")) == nil {
				break
			}
			time.Sleep(100 * time.Millisecond) // until the services have ended
		}
	})
	if text, code := w.run(dir, "wineboot", "-i"); code != 0 {
		t.Fatalf("wineboot: %d\n%s", code, text)
	}
	// Go needs this since 1.22, and Wine has it since 9.
	system := filepath.Join(dir, "prefix", "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(system); err != nil {
		if err := os.WriteFile(system, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// No module proxy serves a toolchain of Windows. Wine 8 lacks the call with which Go
	// removes a file, and Go has a variable for its own tests that avoids it.
	bin, tools := filepath.Join(w.root, "bin"), filepath.Join(w.root, "pkg", "tool", "windows_amd64")
	changedRoot(t, w.root, "src/internal/syscall/windows/at_windows.go", "var TestDeleteatFallback bool", "var TestDeleteatFallback = true", "bin")
	for _, dir := range []string{bin, tools} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.build(bin, w.root, "build", "cmd/go")
	w.build(tools, w.root, "build", "cmd/asm", "cmd/compile", "cmd/link", "cmd/vet")
	w.bridge = newBridge(t, bin, dir, filepath.Join(dir, "prefix", "drive_c"))
	return w
}

func (w *wine) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(w.dir, "wine64"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "WINEPREFIX="+filepath.Join(w.dir, "prefix"), "WINEDEBUG=-all", "NO_COLOR=1", "HOME="+w.dir)
	if w.bridge != nil {
		cmd.Env = append(cmd.Env, "TARE_TEST_BRIDGE="+zDrive(w.bridge.spool), "WINEPATH="+zDrive(filepath.Join(w.root, "bin")),
			"GOROOT="+zDrive(w.root), "GOCACHE="+zDrive(w.cache), "GOTOOLCHAIN=local")
	}
	return cmd
}

// run runs a program of Windows and returns what it prints, and its exit code. A
// service of Wine keeps the output open, so it goes to a file.
func (w *wine) run(dir string, args ...string) (string, int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	out, err := os.CreateTemp(w.dir, "out-")
	if err != nil {
		w.t.Fatal(err)
	}
	defer out.Close()
	cmd := w.command(ctx, dir, args...)
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Run()
	text, _ := os.ReadFile(out.Name())
	if err != nil && cmd.ProcessState == nil {
		w.t.Fatalf("%v: %v", args, err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// build builds for Windows.
func (w *wine) build(to, dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("go", append([]string{args[0], "-o", to}, args[1:]...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOROOT="+w.root, "GOOS=windows", "CGO_ENABLED=0")
	run(w.t, cmd)
}

// TestWine: the command under Wine, from version to a comparison of commits that Go of
// Windows built.
func TestWine(t *testing.T) {
	w := newWine(t)
	tare := filepath.Join(w.dir, "tare.exe")
	w.build(tare, filepath.Join(repository(t), "cmd/tare"), "build", ".")
	m := filepath.Join(w.dir, "m")
	files := map[string]string{
		"go.mod":   "module example.org/m\n\ngo 1.26\n",
		"f_old.go": "//go:build !new\n\npackage m\n\nconst calls = 200\n",
		"f_new.go": "//go:build new\n\npackage m\n\nconst calls = 100\n",
		"m_test.go": "package m\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\nvar n int\n\nfunc BenchmarkCount(b *testing.B) {\n" +
			"\ttext := strings.Repeat(\"a b \", 50)\n\tfor range b.N {\n\t\tfor range calls {\n\t\t\tn += strings.Count(text, \"b\")\n\t\t}\n\t}\n}\n",
	}
	if err := os.Mkdir(m, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func() {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(m, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		cmd.Dir = m
		run(t, cmd)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	files["f_old.go"] = strings.Replace(files["f_old.go"], "200", "100", 1)
	write()
	git("commit", "-qam", "two")
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"version"}, 0, []string{"windows/amd64"}},
		{[]string{"help"}, 0, []string{"compare"}},
		{[]string{"doctor"}, 0, []string{"clock"}},
		{[]string{"run", "-budget", "500ms"}, 0, []string{"Count", "plain-processes"}},
		{[]string{"compare", "-budget", "10m", "-blocks", "2", "-benchtime", "5ms", ".,tags=new", "."}, 0, []string{"Count", "! one-layout"}},
		{[]string{"compare", "-budget", "10m", "-blocks", "10", "-benchtime", "10ms", "-layouts=false", "HEAD~1", "HEAD"}, 0, []string{"Count", "faster"}},
		{[]string{"show", "-keep", "1"}, 0, []string{"studies removed: 2"}},
		{[]string{"lint"}, 0, nil},
	} {
		began := time.Now()
		text, code := w.run(m, append([]string{tare}, c.args...)...)
		t.Logf("tare %s: %d after %v\n%s", strings.Join(c.args, " "), code, time.Since(began).Round(time.Second), text)
		if code != c.code {
			t.Errorf("tare %v exits with %d, want %d", c.args, code, c.code)
		}
		for _, want := range c.want {
			if word, not := strings.CutPrefix(want, "! "); strings.Contains(text, word) == not {
				t.Errorf("tare %v: want %q", c.args, want)
			}
		}
	}
	recorded, _ := filepath.Glob(filepath.Join(m, ".tare", "*"))
	for _, args := range [][]string{{"show", "-format", "html", "-o", "report.html"}, {"stat"}} {
		args = append(append([]string{tare}, args...), `.tare\`+filepath.Base(recorded[len(recorded)-1]))
		if text, code := w.run(m, args...); code != 0 {
			t.Errorf("%v: %d\n%s", args[1:], code, text)
		}
	}
	if _, err := os.Stat(filepath.Join(m, "report.html")); err != nil {
		t.Error(err)
	}
}

// TestWinePackages runs the tests of the library and of internal packages.
func TestWinePackages(t *testing.T) {
	w := newWine(t)
	for _, dir := range []string{
		// Not file, nor the skipped test: Wine follows symbolic links where Windows does
		// not.
		".", "clock", "histogram", "internal/ticks", "internal/finding", "internal/unit",
		"cmd/tare/internal/benchtab", "cmd/tare/internal/machine", "cmd/tare/internal/process", "cmd/tare/internal/result",
		"cmd/tare/internal/session", "cmd/tare/internal/stats", "cmd/tare/internal/words",
	} {
		t.Run(strings.ReplaceAll(dir, "/", "_"), func(t *testing.T) {
			w := &wine{t, w.dir, w.root, w.cache, w.bridge}
			full := filepath.Join(repository(t), dir)
			test := filepath.Join(w.dir, "test.exe")
			w.build(test, full, "test", "-c", "-vet=off", ".")
			if text, code := w.run(full, test, "-test.short", "-test.timeout=4m", "-test.skip=TestWriteFileIsWholeOrNotThere"); code != 0 {
				t.Errorf("exits with %d:\n%s", code, text)
			}
		})
	}
}
