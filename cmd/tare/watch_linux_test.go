package main

import (
	"bufio"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWatch: tare compares, compares again after a save of an embedded file, and
// ends with Ctrl-C. Each comparison prints one line, and nothing is left.
func TestWatch(t *testing.T) {
	b := newBench(t, false)
	if err := os.Mkdir(b.dir+"/testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	b.write("testdata/x.txt", "old")
	b.write(".gitignore", "/.tare\n")
	b.write("m.go", "package m\n\nimport _ \"embed\"\n\n//go:embed testdata/x.txt\nvar X string\n")
	b.command("git", "add", ".")
	b.command("git", "-c", "commit.gpgsign=false", "commit", "-qm", "embeds")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := b.prepare(b.tare, "compare", "-watch", "-lock=off", "-profile=off", "-blocks", "1", "-budget", "100ms", "HEAD", ".")
	cmd.Stdout, cmd.Stderr = w, w
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	watchdog := time.AfterFunc(5*time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer watchdog.Stop()
	lines := bufio.NewScanner(r)
	// compared returns what one comparison prints, without its progress.
	compared := func() (text []string) {
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.Contains(line, "waiting for a save"):
				return text
			case !strings.HasPrefix(line, "tare: ") && !strings.HasPrefix(line, "["):
				text = append(text, line)
			}
		}
		t.Fatalf("it ended: %v\n%q", cmd.Wait(), text)
		return nil
	}
	if text := compared(); len(text) != 1 || !strings.HasPrefix(text[0], "1 ") {
		t.Errorf("first, it says\n%s", strings.Join(text, "\n"))
	}
	b.write("testdata/x.txt", "newer")
	if text := compared(); len(text) != 1 || !strings.HasPrefix(text[0], "1 ") {
		t.Errorf("after the save, it says\n%s", strings.Join(text, "\n"))
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	rest, _ := io.ReadAll(r)
	if lines.Scan() || len(rest) > 0 {
		t.Errorf("after Ctrl-C, it says %q %q", lines.Text(), rest)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C ends it with %v", err)
	}
	if left := b.descendants(time.Minute); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}
