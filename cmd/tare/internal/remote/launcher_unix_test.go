//go:build unix

package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// TestMain makes this binary the program that runs elsewhere: a server whose
// calls say what becomes of it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := serve(context.Background(), os.Stdin, os.Stdout, "hello of "+os.Getenv("MACHINE"), handle); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	firstPause = 10 * time.Millisecond
	os.Exit(m.Run())
}

// order is a call of the tests.
type order struct {
	N    int
	Do   string // "", "kill", "freeze", "garbage", "fail", "never"
	Once string // a file: Do is done by whoever makes it first
	File string
}

func handle(ctx context.Context, call json.RawMessage, file func(string) string) (any, error) {
	var o order
	if err := json.Unmarshal(call, &o); err != nil {
		return nil, err
	}
	if o.Once != "" {
		if err := os.Mkdir(o.Once, 0o700); err != nil {
			o.Do = ""
		}
	}
	switch o.Do {
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "freeze":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "garbage":
		fmt.Println("Segmentation fault (core dumped)")
	case "never":
		<-ctx.Done() // it beats, and does not answer
	case "fail":
		return nil, fmt.Errorf("order %d failed", o.N)
	}
	if o.File != "" {
		text, err := os.ReadFile(filepath.Join(file(o.File), "sub", "data.txt"))
		return string(text), err
	}
	return o.N * o.N, nil
}

// testPool is one of real processes with their caches in a folder of the test. None
// is silent for long enough to be given up, however busy the machine is.
func testPool(t *testing.T, launchers ...string) (*pool, *notices) {
	t.Helper()
	return poolWith(t, 2*time.Minute, launchers...)
}

func poolWith(t *testing.T, silence time.Duration, launchers ...string) (*pool, *notices) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	n := new(notices)
	o := poolOptions{Args: "serve", Silence: silence, Notice: n.add}
	for _, text := range launchers {
		words, err := process.Split(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Launchers = append(o.Launchers, words)
	}
	p, err := newPool(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		// One that was killed is started again, and any may be killed as it starts.
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "tare-worker-*")); len(left) > 2*n.kills()+len(launchers) {
			t.Errorf("%v is left, %d were killed", left, n.kills())
		}
	})
	return p, n
}

type notices struct {
	mu   sync.Mutex
	said []string
}

func (n *notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, text)
}

func (n *notices) all() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.said, "\n")
}

func (n *notices) kills() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.said)
}

func call(o order) func(context.Context) (any, []packedFile, error) {
	return func(context.Context) (any, []packedFile, error) { return o, nil, nil }
}

// TestDo: calls are answered, by both machines, and none twice.
func TestDo(t *testing.T) {
	p, n := testPool(t, "env MACHINE=a", `env 'MACHINE=b c'`)
	var wg sync.WaitGroup
	hellos := make([]string, 40)
	for i := range hellos {
		wg.Go(func() {
			r, err := p.Do(t.Context(), time.Minute, call(order{N: i}))
			if err != nil || string(r.Body) != fmt.Sprint(i*i) {
				t.Errorf("call %d: %s, %v", i, r.Body, err)
			}
			hellos[i] = string(r.Hello)
		})
	}
	wg.Wait()
	if n.all() != "" {
		t.Error(n.all())
	}
	if _, err := p.Do(t.Context(), time.Minute, call(order{N: 3, Do: "fail"})); err == nil || !strings.Contains(err.Error(), "order 3 failed") {
		t.Errorf("a call that fails: %v", err)
	}
	if r, err := p.Do(t.Context(), time.Minute, call(order{N: 4})); err != nil || string(r.Body) != "16" {
		t.Errorf("after one that failed: %s, %v", r.Body, err)
	}
}

// TestLostMachines: a call whose machine is killed, freezes or writes something
// else in the middle is answered by another one, once, and the machine comes
// back.
func TestLostMachines(t *testing.T) {
	for what, why := range map[string]string{"kill": "it ended", "freeze": "it was silent for 5s", "garbage": `"Segmentation fault (core dumped)" is not the output of tare`} {
		t.Run(what, func(t *testing.T) {
			silence, most := 2*time.Minute, 1
			if what == "freeze" {
				silence, most = 5*time.Second, 12 // a busy machine may be silent for as long
			}
			p, n := poolWith(t, silence, "env MACHINE=a", "env MACHINE=b")
			once := filepath.Join(t.TempDir(), "once")
			var answers atomic.Int64
			var wg sync.WaitGroup
			for i := range 12 {
				wg.Go(func() {
					r, err := p.Do(t.Context(), time.Minute, call(order{N: i, Do: what, Once: once}))
					if err != nil || string(r.Body) != fmt.Sprint(i*i) {
						t.Errorf("call %d: %s, %v", i, r.Body, err)
					}
					answers.Add(1)
				})
			}
			wg.Wait()
			for n.kills() == 0 { // it is noticed after the call was given to the other
				time.Sleep(time.Millisecond)
			}
			if answers.Load() != 12 || !strings.Contains(n.all(), why) || n.kills() > most {
				t.Errorf("%d answers; %s", answers.Load(), n.all())
			}
		})
	}
}

// TestHopelessLaunchers: a launcher that is not there, that ends, or that writes
// no shell's answer is given up, with what it wrote; the other ones do the work.
func TestHopelessLaunchers(t *testing.T) {
	p, n := testPool(t, "tare-no-such-command", `sh -c 'echo Permission denied >&2; exit 255'`, `sh -c 'while echo hello; do :; done'`, "env MACHINE=a")
	for i := range 10 {
		if r, err := p.Do(t.Context(), time.Minute, call(order{N: i})); err != nil || r.Slot != 3 {
			t.Errorf("call %d: slot %d, %v", i, r.Slot, err)
		}
	}
	for strings.Count(n.all(), "no further try") < 3 {
		time.Sleep(10 * time.Millisecond)
	}
	for _, want := range []string{"executable file not found", "Permission denied", "which is not the output of a shell"} {
		if !strings.Contains(n.all(), want) {
			t.Errorf("no notice says %q: %s", want, n.all())
		}
	}
	alone, _ := testPool(t, `sh -c 'echo Permission denied >&2; exit 255'`)
	_, err := alone.Do(t.Context(), time.Minute, call(order{}))
	if err == nil || !strings.Contains(err.Error(), "no machine is left") || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("with no machine: %v", err)
	}
}

// TestPoison: a call that takes down every machine ends with an error, and not
// with all machines.
func TestPoison(t *testing.T) {
	p, _ := testPool(t, "env", "env")
	_, err := p.Do(t.Context(), time.Minute, call(order{Do: "kill"}))
	if err == nil || !strings.Contains(err.Error(), "lost on 3 machines") {
		t.Errorf("a call that kills: %v", err)
	}
	if r, err := p.Do(t.Context(), time.Minute, call(order{N: 5})); err != nil || string(r.Body) != "25" {
		t.Errorf("the next call: %s, %v", r.Body, err)
	}
	if _, err := p.Do(t.Context(), time.Millisecond, call(order{Do: "never"})); err == nil || !strings.Contains(err.Error(), "it did not answer in 1ms") {
		t.Errorf("a machine that does not answer: %v", err)
	}
}

// TestFolder: a folder is sent once, with its named folders and no others.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"sub/data.txt": "data", "big/other.txt": strings.Repeat("x", 1<<20)} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := readFolder(dir, "sub")
	if err != nil || len(folder.packed) > 1000 {
		t.Fatalf("%d bytes, %v", len(folder.packed), err)
	}
	p, _ := testPool(t, "env")
	for range 3 {
		r, err := p.Do(t.Context(), time.Minute, func(context.Context) (any, []packedFile, error) {
			return order{File: folder.Name}, []packedFile{folder}, nil
		})
		if err != nil || string(r.Body) != `"data"` {
			t.Fatalf("%s, %v", r.Body, err)
		}
	}
	c := <-p.idle
	if !c.sent[folder.Name] {
		t.Error("the folder is not known to be there")
	}
	p.offer(c)
}

// TestCloseWhileStarting: a pool whose launcher never begins can be closed.
func TestCloseWhileStarting(t *testing.T) {
	p, _ := testPool(t, `sh -c 'sleep 1000'`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Do(ctx, time.Minute, call(order{})); err == nil {
		t.Error("a launcher that sleeps has answered")
	}
}

// TestRunsOn: a machine of another kind is refused before anything is sent.
func TestRunsOn(t *testing.T) {
	p := &program{os: "linux", arch: "amd64"}
	for uname, good := range map[string]bool{"Linux x86_64": true, "Linux aarch64": false, "Darwin x86_64": false} {
		if err := p.runsOn(strings.Fields(uname)); (err == nil) != good {
			t.Errorf("%s: %v", uname, err)
		}
	}
}

// TestProgramIsChecked: a program that is damaged, or that somebody else put
// there, is replaced.
func TestProgramIsChecked(t *testing.T) {
	p, _ := testPool(t, "env")
	program, err := readProgram("/proc/self/exe", "linux", "amd64", "serve")
	if err != nil {
		t.Skip(err)
	}
	planted := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "tare", "worker-"+program.digest[:16], "tare")
	if err := os.MkdirAll(filepath.Dir(planted), 0o700); err != nil {
		t.Fatal(err)
	}
	// Renamed: another test may be starting the program that is there.
	if err := os.WriteFile(planted+".new", []byte("#!/bin/sh\necho planted\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(planted+".new", planted); err != nil {
		t.Fatal(err)
	}
	if reply, err := p.Do(t.Context(), time.Minute, call(order{N: 3})); err != nil || string(reply.Body) != "9" {
		t.Errorf("%s, %v", reply.Body, err)
	}
}
