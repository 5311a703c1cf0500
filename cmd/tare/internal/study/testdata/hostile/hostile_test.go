// Without this the runtime's own descriptors are not 3 and 4 on every machine.
//go:debug containermaxprocs=0

// Package hostile holds benchmarks that misbehave, each in its own way. What
// must come of each stands in outcomes.txt; internal/study's TestHostile runs
// them all in one study, so that none may harm another.
package hostile

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	sink  int
	bytes [][]byte
	kept  []*os.File
)

// work takes about 100 ns.
func work() {
	for i := range 100 {
		sink += i * sink
	}
}

func BenchmarkWell(b *testing.B) {
	for range b.N {
		work()
	}
}

// Benchmarks that say no.

func BenchmarkSkip(b *testing.B) { b.Skip("not on this machine") }

func BenchmarkSkipLate(b *testing.B) {
	if b.N > 1 {
		b.Skip("not with more than one")
	}
	work()
}

func BenchmarkFail(b *testing.B) { b.Fatal("wrong answer") }

func BenchmarkFailLate(b *testing.B) {
	if b.N > 1 {
		b.Fatal("wrong answer later")
	}
	work()
}

func BenchmarkErrorAndGoOn(b *testing.B) {
	b.Error("wrong answer, going on")
	for b.Loop() {
		work()
	}
}

func BenchmarkSubFails(b *testing.B) {
	b.Run("good", BenchmarkWell)
	b.Run("bad", func(b *testing.B) { b.Fatal("this one only") })
	b.Run("after", BenchmarkWell)
}

func BenchmarkBreakOutOfLoop(b *testing.B) {
	for b.Loop() {
		work()
		break
	}
}

func BenchmarkCleanupFails(b *testing.B) {
	b.Cleanup(func() { b.Error("clean-up went wrong") })
	for range b.N {
		work()
	}
}

// Benchmarks that take the process down.

func BenchmarkPanic(b *testing.B) { panic("on purpose") }

func BenchmarkPanicLate(b *testing.B) {
	if b.N > 1 {
		panic("on purpose, later")
	}
	work()
}

// slowWords takes its time to say what went wrong, as a panic does on a busy
// machine: testing must not end the process before.
type slowWords string

func (w slowWords) Error() string {
	time.Sleep(300 * time.Millisecond)
	return string(w)
}

func BenchmarkPanicSlowly(b *testing.B) {
	if b.N > 1 {
		panic(slowWords("on purpose, slowly"))
	}
	work()
}

func BenchmarkPanicSlowlyInLoop(b *testing.B) {
	for b.Loop() {
		work()
	}
	panic(slowWords("on purpose, behind the loop"))
}

func BenchmarkPanicInGoroutine(b *testing.B) {
	done := make(chan bool)
	go func() { panic("in a goroutine") }()
	<-done
}

func BenchmarkNilMap(b *testing.B) {
	var m map[int]int
	m[b.N] = 1
}

func BenchmarkGoexit(b *testing.B) { runtime.Goexit() }

func BenchmarkExitZero(b *testing.B) { os.Exit(0) }

func BenchmarkExitThree(b *testing.B) { os.Exit(3) }

func BenchmarkExitLate(b *testing.B) {
	if b.N > 1 {
		os.Exit(0)
	}
	work()
}

func BenchmarkLogFatal(b *testing.B) { log.Fatal("giving up") }

func BenchmarkStackOverflow(b *testing.B) {
	debug.SetMaxStack(1 << 20)
	var down func(int) int
	down = func(i int) int { return down(i+1) + 1 }
	sink += down(0)
}

// Benchmarks that never end.

func BenchmarkDeadlock(b *testing.B) { select {} }

func BenchmarkEndlessLoop(b *testing.B) {
	for {
		work()
	}
}

func BenchmarkEndlessLate(b *testing.B) {
	for b.N > 1 {
		work()
	}
}

func BenchmarkIgnoresSignals(b *testing.B) {
	ignoreSignals()
	select {}
}

// Benchmarks that talk.

func BenchmarkPrintsOut(b *testing.B) {
	for range b.N {
		work()
	}
	fmt.Println("BenchmarkFake-8   \t1000\t1 ns/op")
	fmt.Print("no newline at the end")
}

func BenchmarkPrintsErr(b *testing.B) {
	for b.Loop() {
		work()
	}
	fmt.Fprintln(os.Stderr, "panic: not really\n\ngoroutine 1 [running]:")
	println("by println")
}

func BenchmarkPrintsMegabytes(b *testing.B) {
	line := strings.Repeat("x", 1<<10) + "\n"
	for range b.N {
		for range 100 {
			io.WriteString(os.Stdout, line)
		}
	}
}

func BenchmarkLogs(b *testing.B) {
	for range b.N {
		work()
	}
	b.Log("a line\nand a second\x1b[31m in red")
}

func BenchmarkClosesStdout(b *testing.B) {
	os.Stdout.Close()
	os.Stderr.Close()
	for range b.N {
		work()
	}
}

func BenchmarkReadsStdin(b *testing.B) {
	if _, err := io.ReadAll(os.Stdin); err != nil {
		b.Fatal(err)
	}
	for range b.N {
		work()
	}
}

// Benchmarks that change the process.

func BenchmarkDescriptors3And4(b *testing.B) {
	for _, fd := range []uintptr{3, 4} {
		// Not closed: one of them may be the runtime's own.
		kept = append(kept, os.NewFile(fd, "mine"))
		kept[len(kept)-1].Write([]byte("done 1 1 1\n"))
	}
	for range b.N {
		work()
	}
}

// BenchmarkClosesDescriptors3And4 closes them before every slice, whatever
// they are, and then needs a timer.
func BenchmarkClosesDescriptors3And4(b *testing.B) {
	for _, fd := range []uintptr{3, 4} {
		os.NewFile(fd, "mine").Close()
	}
	for range b.N {
		time.Sleep(time.Microsecond)
	}
}

func BenchmarkChdir(b *testing.B) {
	if err := os.Chdir(os.TempDir()); err != nil {
		b.Fatal(err)
	}
	for range b.N {
		work()
	}
}

func BenchmarkGOMAXPROCS(b *testing.B) {
	runtime.GOMAXPROCS(1)
	for range b.N {
		work()
	}
}

func BenchmarkSetenv(b *testing.B) {
	b.Setenv("TARE_WORKER", "none")
	b.Setenv("GOGC", "1")
	for range b.N {
		work()
	}
}

func BenchmarkClearenv(b *testing.B) {
	os.Clearenv()
	for range b.N {
		work()
	}
}

func BenchmarkCollectorOff(b *testing.B) {
	debug.SetGCPercent(-1)
	for range b.N {
		bytes = append(bytes[:0], make([]byte, 1<<10))
	}
}

func BenchmarkLocksThread(b *testing.B) {
	runtime.LockOSThread()
	for range b.N {
		work()
	}
}

func BenchmarkSeedsRand(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for range b.N {
		sink += r.Intn(10)
	}
}

// Benchmarks that leave something behind.

func BenchmarkIdleGoroutines(b *testing.B) {
	for range 100 {
		go func() { select {} }()
	}
	for range b.N {
		work()
	}
}

var spun atomic.Int64

func BenchmarkSpinningGoroutine(b *testing.B) {
	go func() {
		for {
			spun.Add(1)
		}
	}()
	for range b.N {
		work()
	}
}

func BenchmarkChildProcess(b *testing.B) {
	cmd := exec.Command("sleep", "98765")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		b.Skip(err)
	}
	for range b.N {
		work()
	}
}

func BenchmarkTempDir(b *testing.B) {
	dir := b.TempDir()
	for range b.N {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGrowing(b *testing.B) {
	for range b.N {
		bytes = append(bytes, make([]byte, 16))
	}
	if len(bytes) > 1<<20 {
		bytes = nil
	}
}

// Benchmarks with an odd measure.

func BenchmarkDeleted(b *testing.B) {
	for range b.N {
	}
}

func BenchmarkIgnoresN(b *testing.B) { work() }

func BenchmarkSlow(b *testing.B) {
	for range b.N {
		time.Sleep(slow(b, 300*time.Millisecond, 20*time.Second))
	}
}

func BenchmarkSlowSetUp(b *testing.B) {
	time.Sleep(slow(b, 200*time.Millisecond, 10*time.Second))
	b.ResetTimer()
	for range b.N {
		work()
	}
}

func BenchmarkSlowSetUpLoop(b *testing.B) {
	time.Sleep(slow(b, 200*time.Millisecond, 10*time.Second))
	for b.Loop() {
		work()
	}
}

// slow is long where HOSTILE_SLOW asks for the full measure.
func slow(b *testing.B, short, long time.Duration) time.Duration {
	if os.Getenv("HOSTILE_SLOW") != "" {
		return long
	}
	return short
}

func BenchmarkPausesAlways(b *testing.B) {
	for range b.N {
		b.StopTimer()
		work()
		b.StartTimer()
	}
}

func BenchmarkStopsForGood(b *testing.B) {
	b.StopTimer()
	for range b.N {
		work()
	}
}

func BenchmarkBothLoops(b *testing.B) {
	for b.Loop() {
		for range min(b.N, 10) {
			work()
		}
	}
}

func BenchmarkMetricFirst(b *testing.B) {
	b.ReportMetric(42, "answers/op")
	for b.Loop() {
		work()
	}
}

func BenchmarkMetricNamesAreOdd(b *testing.B) {
	for range b.N {
		work()
	}
	b.ReportMetric(1, "<script>µ/op")
}

func BenchmarkParallel(b *testing.B) {
	b.SetParallelism(64)
	var mu sync.Mutex
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			work()
			mu.Unlock()
		}
	})
}

// Names.

func BenchmarkNames(b *testing.B) {
	for _, name := range []string{
		"with spaces and\ttabs", "größe=1µs/日本", "<script>alert(1)</script>", "\x1b[31mred\x1b[0m", "new\nline",
		"a/b//c", "100%", "-8", "same", "same", strings.Repeat("long", 2500), `quote"and'`, "(.*)[",
	} {
		b.Run(name, BenchmarkWell)
	}
}

func BenchmarkGröße(b *testing.B) { BenchmarkWell(b) }

var errBusy = errors.New("busy")
