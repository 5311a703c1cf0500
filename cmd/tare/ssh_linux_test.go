//go:build lab

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sshServer starts an sshd of its own on the loopback interface, and returns
// the command that logs in there.
func sshServer(t *testing.T) string {
	t.Helper()
	const sshd = "/usr/sbin/sshd"
	for _, name := range []string{sshd, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("not run: %v (Debian: openssh-server)", err)
		}
	}
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skipf("not run: %v", err)
		}
	}
	dir := t.TempDir()
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\n", port, dir, dir)
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	server := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "config"))
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", said.String())
		}
	})
	login := fmt.Sprintf("ssh -F none -q -p %d -i %s/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes 127.0.0.1", port, dir)
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		out, err := exec.Command("sh", "-c", login+" echo here").CombinedOutput()
		if err == nil && strings.Contains(string(out), "here") {
			return login
		}
		if time.Since(began) > 20*time.Second {
			t.Skipf("not run: no login to an sshd of our own: %v\n%s", err, out)
		}
	}
}

// onMachines is a module to compare in, the command tare, and the prefix that
// keeps what a machine writes in the folder of the test.
func onMachines(t *testing.T) (tare, module, prefix string) {
	t.Helper()
	dir := t.TempDir()
	tare, module = filepath.Join(dir, "tare"), filepath.Join(dir, "m")
	err := os.Symlink(commandFile(t, false), tare)
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "testdata/n.txt": "3\n", ".gitignore": "*.jsonl\n",
		"m_test.go": `package m

import (
	"os"
	"testing"
)

var sink int

func BenchmarkOne(b *testing.B) {
	if _, err := os.Stat("testdata/n.txt"); err != nil {
		b.Fatal(err)
	}
	for range b.N {
		sink += step
	}
}

func BenchmarkTwo(b *testing.B) {
	for range b.N {
		sink -= step
	}
}
`,
		"other_test.go": "//go:build other\n\npackage m\n\nconst step = 2\n",
		"plain_test.go": "//go:build !other\n\npackage m\n\nconst step = 1\n",
	}
	for name, text := range files {
		path := filepath.Join(module, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = module
		err = errors.Join(err, cmd.Run())
	}
	if err != nil {
		t.Fatal(err)
	}
	return tare, module, fmt.Sprintf("env XDG_CACHE_HOME=%s/cache TMPDIR=%s TARE_LOCK=%s/lock", dir, dir, dir)
}

// compareOn runs tare there, and during it meanwhile, if not nil, until it is done.
func compareOn(t *testing.T, tare, module string, meanwhile func(done context.Context), args ...string) (output string) {
	t.Helper()
	cmd := exec.Command(tare, args...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "NO_COLOR=1", "TARE_LOCK="+filepath.Join(filepath.Dir(module), "ours"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done, ended := context.WithCancel(context.Background())
	var err error
	go func() { err = cmd.Wait(); ended() }()
	if meanwhile != nil {
		meanwhile(done)
	}
	<-done.Done()
	if err != nil {
		t.Fatalf("tare %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

// recordedBlocks are the blocks of the newest study, by benchmark and number,
// and the number of machines.
func recordedBlocks(t *testing.T, module string) (blocks map[string]int, machines int) {
	t.Helper()
	studies, _ := filepath.Glob(filepath.Join(module, ".tare", "*", "result.jsonl"))
	if len(studies) == 0 {
		t.Fatal("no study")
	}
	text, err := os.ReadFile(studies[len(studies)-1])
	if err != nil {
		t.Fatal(err)
	}
	blocks = make(map[string]int)
	for _, m := range regexp.MustCompile(`(?m)^{"block":{"b":(\d+),(?:"m":\d+,)?"k":(\d+)`).FindAllSubmatch(text, -1) {
		blocks[string(m[1])+"/"+string(m[2])]++
	}
	return blocks, bytes.Count(text, []byte("\n{\"machine\":"))
}

// workers are the processes that serve in a cache folder.
func workers(cache string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(cache)) && bytes.HasSuffix(text, []byte("tare\x00worker\x00")) {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestOverSSH measures on two machines, through a real sshd on the loopback
// interface, and kills one of them in the middle of a block. The other machine
// measures that block, the killed one is started again, no block counts twice,
// and no process or file is left.
func TestOverSSH(t *testing.T) {
	login := sshServer(t)
	tare, module, prefix := onMachines(t)
	args := []string{"compare", "-budget", "10m", "-blocks", "8", "-benchtime", "20ms", "-measure-all",
		"-on", login + " " + prefix, "-on", login + " " + prefix + " SECOND=1", ".", ".,tags=other"}
	dir := filepath.Dir(module)
	killed := false
	out := compareOn(t, tare, module, func(done context.Context) {
		for ; done.Err() == nil; time.Sleep(10 * time.Millisecond) {
			// One that has binaries already is at a block.
			if at, _ := filepath.Glob(filepath.Join(dir, "tare-worker-*", "????????????????????????????????")); len(at) < 3 {
				continue
			}
			if pids := workers(dir); len(pids) == 2 {
				killed = syscall.Kill(pids[0], syscall.SIGKILL) == nil
				return
			}
		}
	}, args...)
	blocks, machines := recordedBlocks(t, module)
	if !killed || !strings.Contains(out, "next try in") {
		t.Errorf("killed: %t\n%s", killed, out)
	}
	if len(blocks) < 16 || machines != 2 {
		t.Errorf("%d blocks of %d machines\n%s", len(blocks), machines, out)
	}
	for block, times := range blocks {
		if times != 1 {
			t.Errorf("block %s is on record %d times", block, times)
		}
	}
	for began := time.Now(); len(workers(dir)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("processes %v are left", workers(dir))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "tare-worker-*")); len(left) > 1 { // that of the one that was killed
		t.Errorf("%v is left", left)
	}
}

// TestShardsByParallel runs the parts of a study as GNU parallel runs jobs.
func TestShardsByParallel(t *testing.T) {
	if out, err := exec.Command("parallel", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU parallel")) {
		t.Skip("not run: no GNU parallel (Debian: parallel)")
	}
	tare, module, prefix := onMachines(t)
	script := fmt.Sprintf("%s parallel -j1 %s compare -budget 10m -blocks 2 -benchtime 1ms -layouts=false -shard {}/2 -o part-{}.jsonl . .,tags=other ::: 1 2 && %s show part-*.jsonl", prefix, tare, tare)
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "NO_COLOR=1", "HOME="+filepath.Dir(module), "GOCACHE="+goCache(t))
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("\nOne")) || !bytes.Contains(out, []byte("\nTwo")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
