package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
)

// holdModule has a benchmark that stops forever in the process and the call
// that the test chose, and writes a file then, so that a signal arrives in a
// known state. The body of its loop is to be filled in.
const holdModule = `package m

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var (
	sink      uint64
	kept      *int
	processes int
	calls     int
)

func init() {
	os.WriteFile(filepath.Join(os.Getenv("CRASH_LOG"), fmt.Sprint(os.Getpid())), nil, 0o666)
	all, _ := os.ReadDir(os.Getenv("CRASH_LOG"))
	processes = len(all)
}

func BenchmarkWork(b *testing.B) {
	calls++
	var process, call int // the first process from this one on that is called so often
	fmt.Sscan(os.Getenv("HOLD"), &process, &call)
	answers, _ := filepath.Glob(os.Getenv("HOLD_AFTER"))
	for _, file := range answers { // or after the first answer
		if data, _ := os.ReadFile(file); bytes.Count(data, []byte("\n")) >= 2 {
			process, call = processes, calls
		}
	}
	if process > 0 && processes >= process && calls == call {
		os.WriteFile(os.Getenv("HELD"), nil, 0o666)
		time.Sleep(time.Hour)
	}
	for range b.N {
		%s
	}
}
`

// holdGit and holdTool stop forever, with a child of theirs: after a
// checkout, and before the linker.
const (
	holdGit = `#!/bin/sh
[ "$HOLD" = checkout ] || exec %[1]s "$@"
case "$*" in *"read-tree"*) ;; *) exec %[1]s "$@" ;; esac
%[1]s "$@"
touch "$HELD"
sleep 3600 &
wait
`
	holdTool = `#!/bin/sh
case "$*" in */link\ -o*) ;; *) exec "$@" ;; esac
touch "$HELD"
sleep 3600 &
wait
`
)

// TestInterrupt sends signals to tare while it checks out, builds, discovers
// and measures: it prints what is known, exits with 1, and leaves nothing.
func TestInterrupt(t *testing.T) {
	b := newBench(t, true)
	b.write(".git/info/exclude", "/.tare\n")
	b.write("m_test.go", fmt.Sprintf(holdModule, "sink = sink*6364136223846793005 + 1"))
	b.command("git", "-c", "commit.gpgsign=false", "commit", "-qam", "holds")
	bin := filepath.Join(filepath.Dir(b.dir), "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"git": fmt.Sprintf(holdGit, git), "tool": holdTool} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	held := filepath.Join(filepath.Dir(b.dir), "held")
	b.env = append(b.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HELD="+held)
	compare := []string{"compare", "-layouts=false", "-blocks", "10", "-benchtime", "10ms", "-budget", "10m", "HEAD", "HEAD,env=SIDE=new"}

	one := func(signals ...syscall.Signal) func(*exec.Cmd) {
		return func(cmd *exec.Cmd) {
			for _, s := range signals {
				syscall.Kill(-cmd.Process.Pid, s)
			}
		}
	}
	// A user who presses Ctrl-C until it is over.
	impatient := func(cmd *exec.Cmd) {
		for range 100 {
			if syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	// Two processes are asked for their benchmarks and two size the slices; two
	// serve the first block and six count, or sixteen if their counts differ; pairs of
	// long runs have two, which are called less often; then each block has two.
	const checkout, discovery, secondBlock = "HOLD=checkout", "HOLD=1 1", "HOLD=24 3"
	build := "GOFLAGS=-mod=mod -toolexec=" + filepath.Join(bin, "tool")
	tests := []struct {
		name, hold string
		signal     func(*exec.Cmd)
		measured   bool
	}{
		{"Ctrl-C in the checkout", checkout, one(syscall.SIGINT), false},
		{"Ctrl-C in the build", build, one(syscall.SIGINT), false},
		{"Ctrl-C in discovery", discovery, one(syscall.SIGINT), false},
		{"Ctrl-C during a block", secondBlock, one(syscall.SIGINT), true},
		{"a closed terminal during a block", secondBlock, one(syscall.SIGHUP), true},
		{"many Ctrl-C during a block", secondBlock, impatient, true},
		{"SIGTERM during a block", secondBlock, one(syscall.SIGTERM), true},
		{"two Ctrl-C in the build", build, one(syscall.SIGINT, syscall.SIGINT), false},
		{"two Ctrl-C during a block", secondBlock, one(syscall.SIGINT, syscall.SIGINT), true},
	}
	if !lab.Long {
		tests = tests[:6]
	}
	clean := b.checkout()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b.t = t
			cmd, stdout, stderr := b.held(held, tt.hold, compare...)
			tt.signal(cmd)
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
				t.Errorf("%v, want exit %d", err, exitFailed)
			}
			if tt.measured {
				for _, words := range []string{"Work", "Interrupted"} {
					if !strings.Contains(stdout.String(), words) {
						t.Errorf("no %q in what was printed", words)
					}
				}
				all := b.studies()
				lines := recorded(t, all[len(all)-1])
				if end := lines[len(lines)-1].End; end == nil || !end.Interrupted {
					t.Errorf("the recording ends with %+v", lines[len(lines)-1])
				}
				if !hasBlock(lines) {
					t.Error("the first block is not on record")
				}
			} else if !strings.Contains(strings.ToLower(stdout.String()+stderr.String()), "interrupt") {
				t.Error("it does not say that it was interrupted")
			}
			if t.Failed() {
				t.Logf("stdout:\n%s\nstderr:\n%s", stdout, stderr)
			}
			b.nothingLeft(clean)
		})
	}
	// Stopped as with Ctrl-Z, and continued: it goes on.
	t.Run("stopped and continued", func(t *testing.T) {
		b.t = t
		before := len(b.studies())
		cmd := b.prepare(b.tare, compare...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(5 * time.Millisecond) {
			if all := b.studies(); len(all) > before && hasBlock(recorded(t, all[len(all)-1])) {
				break
			}
		}
		cmd.Process.Signal(syscall.SIGSTOP)
		time.Sleep(time.Second)
		cmd.Process.Signal(syscall.SIGCONT)
		if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "Work") {
			t.Errorf("%v\n%s", err, &out)
		}
		b.nothingLeft(clean)
	})
	// Killed at the same place, and resumed.
	t.Run("kill -9 during a block", func(t *testing.T) {
		b.t = t
		cmd, _, _ := b.held(held, secondBlock, compare...)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		all := b.studies()
		folder := all[len(all)-1]
		if lines := recorded(t, folder); !hasBlock(lines) || lines[len(lines)-1].End != nil {
			t.Errorf("on record are %d lines, the last %+v", len(lines), lines[len(lines)-1])
		}
		if out := b.command(b.tare, append(slices.Clone(compare), "-resume", folder)...); !strings.Contains(out, "Work") {
			t.Errorf("resumed, it says\n%s", out)
		}
		b.nothingLeft(clean)
		again := b.prepare(b.tare, append(slices.Clone(compare), "-resume", folder)...)
		if out, err := again.CombinedOutput(); err == nil || !strings.Contains(string(out), "is complete") {
			t.Errorf("a complete study is resumed (%v)\n%s", err, out)
		}
	})
}

// held starts tare in a process group of its own and waits until it has come
// to the place that hold names.
func (b *bench) held(held, hold string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	b.t.Helper()
	os.Remove(held)
	os.RemoveAll(b.log)
	os.Mkdir(b.log, 0o777)
	cmd = b.prepare(b.tare, args...)
	cmd.Env = append(cmd.Env, hold)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(held); err == nil {
			return cmd, stdout, stderr
		}
		if time.Since(began) > 5*time.Minute {
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			cmd.Wait()
			b.t.Fatalf("it never came to %s\n%s%s", hold, stdout, stderr)
		}
	}
}

// checkout is all that git knows of the user's checkout.
func (b *bench) checkout() string {
	return b.command("git", "status", "--porcelain") + b.command("git", "worktree", "list") + b.command("git", "stash", "list") +
		b.command("git", "branch", "-a") + b.command("git", "fsck", "--no-dangling", "--no-progress")
}

// nothingLeft fails where something is left: a process, a temporary file, a
// worktree, a change in the checkout, the lock.
func (b *bench) nothingLeft(clean string) {
	b.t.Helper()
	if left := b.descendants(time.Minute); len(left) > 0 {
		b.t.Errorf("left running: %v", left)
	}
	filepath.WalkDir(b.temp, func(path string, d fs.DirEntry, err error) error {
		if path != b.temp {
			b.t.Errorf("left behind: %s", path)
		}
		return nil
	})
	if now := b.checkout(); now != clean {
		b.t.Errorf("the checkout was\n%s and is\n%s", clean, now)
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".git", "worktrees")); !errors.Is(err, fs.ErrNotExist) {
		b.t.Errorf(".git/worktrees is there (%v)", err)
	}
	b.command(b.tare, "lock", "-lock=fail", "--", "true")
}

// descendants waits until no process is left that has this test's environment,
// and names those that stay.
func (b *bench) descendants(patience time.Duration) (left []string) {
	mark := []byte("CRASH_LOG=" + b.log + "\x00")
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		left = nil
		all, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range all {
			if env, err := os.ReadFile(path); err == nil && bytes.Contains(env, mark) {
				line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
			}
		}
		if len(left) == 0 || time.Since(began) > patience {
			return left
		}
	}
}

// TestKillEndsPrograms kills tare, and it alone, while a program runs whose
// memory is read. A shell started that program.
func TestKillEndsPrograms(t *testing.T) {
	b := newBench(t, false)
	b.write("hold", `case $GODEBUG in *inittrace*) echo $$ >pid.new; mv pid.new pid; exec sleep 3600;; esac`)
	var words bytes.Buffer
	cmd := b.prepare(b.tare, "compare", "-lock=off", "-exec", "sh hold", "-exec", "true")
	cmd.Stdout, cmd.Stderr = &words, &words
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	watchdog := time.AfterFunc(time.Minute, func() { cmd.Process.Signal(syscall.SIGQUIT) }) // prints what tare does
	var pid string
	for pid == "" {
		select {
		case err := <-ended:
			t.Fatalf("tare ended before the program started: %v\n%s", err, &words)
		case <-time.After(10 * time.Millisecond):
			data, _ := os.ReadFile(filepath.Join(b.dir, "pid"))
			pid = strings.TrimSpace(string(data))
		}
	}
	watchdog.Stop()
	cmd.Process.Kill()
	<-ended
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if args, _ := os.ReadFile("/proc/" + pid + "/cmdline"); !strings.HasPrefix(string(args), "sleep") {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("process %s outlives tare", pid)
		}
	}
}
