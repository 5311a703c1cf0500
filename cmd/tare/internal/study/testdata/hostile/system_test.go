//go:build unix

package hostile

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

func ignoreSignals() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
}

func BenchmarkKilled(b *testing.B) {
	if b.N > 1 {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	work()
}

func BenchmarkOutOfMemory(b *testing.B) {
	limit := syscall.Rlimit{Cur: 2 << 30, Max: 2 << 30}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		b.Skip(err)
	}
	for {
		bytes = append(bytes, make([]byte, 64<<20))
	}
}

func BenchmarkSignalsItself(b *testing.B) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	for range b.N {
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		<-c
	}
}

// The port and the lock are free for one process at a time.

func port() int { return 20000 + os.Getuid()%20000 + 7 }

func BenchmarkFixedPort(b *testing.B) {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port()))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		work()
	}
}

func lockFile(b *testing.B) *os.File {
	f, err := os.OpenFile(filepath.Join(os.TempDir(), fmt.Sprintf("hostile-%d.lock", os.Getuid())), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func BenchmarkFileLock(b *testing.B) {
	f := lockFile(b)
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		b.Fatal(errBusy)
	}
	for b.Loop() {
		work()
	}
}

func BenchmarkFileLockWaits(b *testing.B) {
	f := lockFile(b)
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		work()
	}
}
