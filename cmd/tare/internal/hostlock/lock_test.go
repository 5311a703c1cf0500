//go:build unix

package hostlock

import (
	"context"
	"encoding/gob"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/test/child"
)

// TestMain lets this binary be the other process of the tests.
func TestMain(m *testing.M) {
	if child.Role() == "holder" { // take the lock, say so, hold it until killed
		_, err := Locker{File: os.Getenv("TARE_TEST_FILE")}.Lock(context.Background(), Fail, nil)
		if err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		child.Hang()
	}
	os.Exit(m.Run())
}

func TestLockOneAtATime(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	var inside, most int
	var mu, all = sync.Mutex{}, sync.WaitGroup{}
	for range 8 {
		all.Go(func() {
			release, err := l.Lock(t.Context(), Wait, nil)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			inside++
			most = max(most, inside)
			mu.Unlock()
			time.Sleep(2 * time.Millisecond)
			mu.Lock()
			inside--
			mu.Unlock()
			release()
			release() // twice is once
		})
	}
	all.Wait()
	if most != 1 {
		t.Errorf("%d were inside at once", most)
	}
	if got := l.Holder(); got != "" {
		t.Errorf("nobody holds it, and %q is named", got)
	}
}

// TestLockDiesWithItsHolder: another process holds the lock; it is named;
// killed with SIGKILL, it lets go.
func TestLockDiesWithItsHolder(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	holder, _ := child.Start(t, "holder", "TARE_TEST_FILE="+l.File)
	name := "process " + strconv.Itoa(holder.Process.Pid)

	if _, err := l.Lock(t.Context(), Fail, nil); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), name) {
		t.Errorf("fail: %v, want %v by %s", err, ErrHeld, name)
	}
	if got := l.Holder(); !strings.HasPrefix(got, name) {
		t.Errorf("holder %q, want %s", got, name)
	}
	if release, err := l.Lock(t.Context(), Off, nil); err != nil {
		t.Errorf("off: %v", err)
	} else {
		release()
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, err := l.Lock(ctx, Wait, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled wait: %v", err)
	}

	asked := ""
	release, err := l.Lock(t.Context(), Wait, func(name string) {
		asked = name
		child.Kill(t, holder)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if !strings.HasPrefix(asked, name) {
		t.Errorf("waited for %q, want %s", asked, name)
	}
}

// TestLockHeldByParent: what runs under the lock does not wait for it.
func TestLockHeldByParent(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	release, err := l.Lock(t.Context(), Fail, nil)
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := strings.Cut(l.env(), "=")
	t.Setenv(name, value)
	inner, err := l.Lock(t.Context(), Fail, nil)
	if err != nil {
		t.Errorf("under the lock: %v", err)
	} else {
		inner()
	}
	if l.Holder() == "" {
		t.Error("the inner release let the outer lock go")
	}
	release()
	// A stale mark does not open a lock that somebody else holds.
	child.Start(t, "holder", "TARE_TEST_FILE="+l.File)
	if _, err := l.Lock(t.Context(), Fail, nil); !errors.Is(err, ErrHeld) {
		t.Errorf("with a stale mark: %v, want %v", err, ErrHeld)
	}
}

// TestLockFileRemoved: the folder was cleaned while somebody waited; both must
// end up at the same file.
func TestLockFileRemoved(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	release, err := l.Lock(t.Context(), Fail, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.Lock(t.Context(), Wait, func(string) {
		if err := os.Remove(l.File); err != nil {
			t.Error(err)
		}
		release()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer second()
	if _, err := l.Lock(t.Context(), Fail, nil); !errors.Is(err, ErrHeld) {
		t.Errorf("two hold the lock: %v", err)
	}
}

func TestLockRefusals(t *testing.T) {
	dir := t.TempDir()
	if _, err := (Locker{File: filepath.Join(dir, "lock")}).Lock(t.Context(), "maybe", nil); err == nil {
		t.Error("a mode that is none was taken")
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "victim"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := (Locker{File: link}).Lock(t.Context(), Fail, nil); err == nil {
		t.Error("a symbolic link was followed")
	}
	if _, err := os.Stat(filepath.Join(dir, "victim")); err == nil {
		t.Error("the link's target was made")
	}
	if err := os.WriteFile(filepath.Join(dir, "victim"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Locker{File: link}).Lock(t.Context(), Fail, nil); err == nil {
		t.Error("a symbolic link to a file was followed")
	}
}

// TestHolderNameIsTamed: any user may write into the file.
func TestHolderNameIsTamed(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	if err := os.WriteFile(l.File, []byte("1 x \x1b[2Jevil\r"+strings.Repeat("y", 5000)+"\nmore"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := l.readHolder()
	if strings.ContainsAny(got, "\x1b\r\n") || len(got) > 400 {
		t.Errorf("holder %q", got)
	}
}

// daemon answers like perflock's: the first asker holds the lock until its
// connection ends, the next is queued.
type daemon struct {
	socket string
	held   chan struct{} // full while somebody holds the lock
	asked  chan perflockAcquire
}

func startDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{socket: filepath.Join(t.TempDir(), "s"), held: make(chan struct{}, 1), asked: make(chan perflockAcquire, 10)}
	listener, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { listener.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { d.serve(c) })
		}
	})
	return d
}

func (d *daemon) serve(c net.Conn) {
	defer c.Close()
	if _, err := c.Read(make([]byte, 1)); err != nil { // the credentials' byte
		return
	}
	enc, dec := gob.NewEncoder(c), gob.NewDecoder(c)
	holds := false
	defer func() {
		if holds {
			<-d.held
		}
	}()
	for {
		var r perflockRequest
		if dec.Decode(&r) != nil {
			return
		}
		switch a := r.Action.(type) {
		case perflockAcquire:
			d.asked <- a
			if a.NonBlocking {
				select {
				case d.held <- struct{}{}:
					holds = true
				default:
				}
			} else {
				d.held <- struct{}{}
				holds = true
			}
			if enc.Encode(holds) != nil {
				return
			}
		case perflockList:
			if enc.Encode([]string{"ann\tJan  2 15:04:05\tgo test -bench . \x1b[2J", "bob\tJan  2 15:04:06\t" + strings.Repeat("y", 5000)}) != nil {
				return
			}
		}
	}
}

func TestPerflock(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("perflock runs on Linux")
	}
	d := startDaemon(t)
	dir := t.TempDir()
	mine := Locker{File: filepath.Join(dir, "mine"), Perflock: []string{filepath.Join(dir, "nobody"), d.socket}}
	theirs := Locker{File: filepath.Join(dir, "theirs"), Perflock: []string{d.socket}}

	release, err := mine.Lock(t.Context(), Fail, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := <-d.asked; !a.NonBlocking || a.Shared || a.Msg == "" {
		t.Errorf("asked %+v", a)
	}
	const name = "perflock: ann Jan  2 15:04:05 go test -bench . [2J; bob"
	if _, err := theirs.Lock(t.Context(), Fail, nil); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), name) {
		t.Errorf("fail: %v, want %v by %s", err, ErrHeld, name)
	}
	if got := theirs.Holder(); !strings.HasPrefix(got, name) || len(got) > mostName {
		t.Errorf("holder %q, want %s and no more than fits", got, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := theirs.Lock(ctx, Wait, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	var waited string
	second, err := theirs.Lock(t.Context(), Wait, func(holder string) { waited = holder; release() })
	if err != nil {
		t.Fatal(err)
	}
	second()
	if !strings.HasPrefix(waited, name) {
		t.Errorf("waited for %q", waited)
	}
}

// TestPerflockComesFirst: who waits for the daemon does not hold the file. What
// perflock runs has the daemon's lock and wants the file: each would wait for
// the other.
func TestPerflockComesFirst(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("perflock runs on Linux")
	}
	d := startDaemon(t)
	d.held <- struct{}{} // perflock runs a command
	file := filepath.Join(t.TempDir(), "lock")
	outside := Locker{File: file, Perflock: []string{d.socket}}
	inside := Locker{File: file} // a tare in that command
	release, err := outside.Lock(t.Context(), Wait, func(string) {
		inner, err := inside.Lock(t.Context(), Fail, nil)
		if err != nil {
			t.Errorf("under perflock: %v", err)
		} else {
			inner()
		}
		<-d.held // the command ends
	})
	if err != nil {
		t.Fatal(err)
	}
	release()
	// Who does not get the file gives the daemon's lock back.
	other, err := inside.Lock(t.Context(), Fail, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other()
	if _, err := outside.Lock(t.Context(), Fail, nil); !errors.Is(err, ErrHeld) {
		t.Errorf("the file is held: %v, want %v", err, ErrHeld)
	}
	d.held <- struct{}{} // blocks forever where it was not
	<-d.held
}

// TestPerflockWire holds the bytes of a request as the daemon's own types
// write them: gob must meet the names that package main registered.
func TestPerflockWire(t *testing.T) {
	var wire strings.Builder
	client, server := net.Pipe()
	go func() {
		_ = perflockCodec(client).enc.Encode(perflockRequest{perflockAcquire{NonBlocking: true, Msg: "m"}})
		client.Close()
	}()
	buf := make([]byte, 4096)
	for {
		n, err := server.Read(buf)
		wire.Write(buf[:n])
		if err != nil {
			break
		}
	}
	for _, name := range []string{"Action", "main.ActionAcquire", "Shared", "NonBlocking", "Msg"} {
		if !strings.Contains(wire.String(), name) {
			t.Errorf("%q is not on the wire", name)
		}
	}
}

func TestUnderPerflock(t *testing.T) {
	t.Parallel()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	root := fstest.MapFS{
		"proc/30/comm": file("go\n"), "proc/30/status": file("PPid:\t20\n"),
		"proc/20/comm": file("perflock\n"), "proc/20/status": file("PPid:\t1\n"),
		"proc/41/comm": file("bash\n"), "proc/41/status": file("PPid:\t40\n"),
		"proc/40/comm": file("loop\n"), "proc/40/status": file("PPid:\t40\n"),
	}
	if !underPerflock(machine.Tree{FS: root}, 30) || underPerflock(machine.Tree{FS: root}, 41) || underPerflock(machine.Tree{FS: root}, 99) {
		t.Error("the ancestors were misread")
	}
}
