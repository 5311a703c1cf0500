//go:build unix

package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestLockOneAtATime(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	var inside, most int
	var mu, all = sync.Mutex{}, sync.WaitGroup{}
	for range 8 {
		all.Go(func() {
			release, err := l.Lock(t.Context(), LockWait, nil)
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
	holder, _ := startChild(t, "holder", "TARE_TEST_FILE="+l.File)
	name := "process " + strconv.Itoa(holder.Process.Pid)

	if _, err := l.Lock(t.Context(), LockFail, nil); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), name) {
		t.Errorf("fail: %v, want %v by %s", err, ErrHeld, name)
	}
	if got := l.Holder(); !strings.HasPrefix(got, name) {
		t.Errorf("holder %q, want %s", got, name)
	}
	if release, err := l.Lock(t.Context(), LockOff, nil); err != nil {
		t.Errorf("off: %v", err)
	} else {
		release()
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, err := l.Lock(ctx, LockWait, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("canceled wait: %v", err)
	}

	asked := ""
	release, err := l.Lock(t.Context(), LockWait, func(name string) {
		asked = name
		killChild(t, holder)
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
	release, err := l.Lock(t.Context(), LockFail, nil)
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := strings.Cut(l.env(), "=")
	t.Setenv(name, value)
	inner, err := l.Lock(t.Context(), LockFail, nil)
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
	startChild(t, "holder", "TARE_TEST_FILE="+l.File)
	if _, err := l.Lock(t.Context(), LockFail, nil); !errors.Is(err, ErrHeld) {
		t.Errorf("with a stale mark: %v, want %v", err, ErrHeld)
	}
}

// TestLockFileRemoved: the folder was cleaned while somebody waited; both must
// end up at the same file.
func TestLockFileRemoved(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	release, err := l.Lock(t.Context(), LockFail, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := l.Lock(t.Context(), LockWait, func(string) {
		if err := os.Remove(l.File); err != nil {
			t.Error(err)
		}
		release()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer second()
	if _, err := l.Lock(t.Context(), LockFail, nil); !errors.Is(err, ErrHeld) {
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
	if _, err := (Locker{File: link}).Lock(t.Context(), LockFail, nil); err == nil {
		t.Error("a symbolic link was followed")
	}
	if _, err := os.Stat(filepath.Join(dir, "victim")); err == nil {
		t.Error("the link's target was made")
	}
	if err := os.WriteFile(filepath.Join(dir, "victim"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Locker{File: link}).Lock(t.Context(), LockFail, nil); err == nil {
		t.Error("a symbolic link to a file was followed")
	}
}

// TestLockRefusesForeignFiles: a FIFO must not block, and a hard link must not
// overwrite the file that it names.
func TestLockRefusesForeignFiles(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		l := Locker{File: fifo}
		_ = l.Holder()
		_, err := l.Lock(t.Context(), LockFail, nil)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "not a regular file with one name") {
			t.Errorf("lock a FIFO: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a FIFO blocks")
	}

	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(victim, link); err != nil {
		t.Fatal(err)
	}
	if _, err := (Locker{File: link}).Lock(t.Context(), LockFail, nil); err == nil {
		t.Error("a hard link was locked")
	}
	if b, _ := os.ReadFile(victim); string(b) != "mine" {
		t.Errorf("the file of a hard link was overwritten: %q", b)
	}
}

// TestLockReportsThatItsFileWasRemoved: the owner of the file may remove it
// while another user holds it, and a third process then locks a new file.
func TestLockReportsThatItsFileWasRemoved(t *testing.T) {
	l := Locker{File: filepath.Join(t.TempDir(), "lock")}
	held, err := l.Hold(t.Context(), LockFail, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Lost(); err != nil {
		t.Errorf("lost before: %v", err)
	}
	if err := os.Remove(l.File); err != nil {
		t.Fatal(err)
	}
	if err := held.Lost(); err == nil {
		t.Error("a removed lock file is not reported")
	}
	held.Release()
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
