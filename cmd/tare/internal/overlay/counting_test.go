package overlay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCounting(t *testing.T) {
	dir := t.TempDir()
	o, err := Counting(goroot(t), dir)
	if err != nil && strings.Contains(err.Error(), "counting needs Go 1.25 or newer") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Replace) != 4 || o.Key == "" {
		t.Fatalf("overlay %+v", o)
	}
	for _, file := range o.Replace {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := string(content)
		_, base, _ := strings.Cut(filepath.Base(file), "_")
		switch base {
		case "tare_region.go":
			if !strings.Contains(s, "package testing") || !strings.Contains(s, fmt.Sprintf("tareHeap = %d << 20", CountingHeap>>20)) {
				t.Error("tare_region.go: another heap than CountingHeap")
			}
		case "benchmark.go":
			if !strings.Contains(s, "func (b *B) tareStockStopTimer()") || strings.Contains(s, "func (b *B) StopTimer()") {
				t.Error("benchmark.go: StopTimer was not renamed")
			}
		case "proc.go":
			if !strings.Contains(s, "usleep(max(delay, 1000*1000<<min(uint(idle), 3)))") || !strings.Contains(s, "const forcePreemptNS = 60 ") {
				t.Error("proc.go: sysmon still wakes")
			}
		case "malloc.go":
			if strings.Contains(s, "\trandomizeHeapBase = goexperiment") {
				t.Error("malloc.go: the heap still begins anywhere")
			}
		}
	}
}

func TestCountingRefuses(t *testing.T) {
	_, err := Counting(t.TempDir(), t.TempDir())
	var shape *ShapeError
	if !errors.As(err, &shape) || !strings.Contains(err.Error(), "Go 1.25") {
		t.Errorf("a GOROOT without valgrind: %v", err)
	}
	if _, err := renameTimers([]byte("package testing\ntype B struct{ N int; timerOn bool; loop struct{ n uint64 } }\nfunc (b *B) StartTimer() {}\nfunc (b *B) StopTimer() {}\n")); err == nil || !strings.Contains(err.Error(), "ResetTimer") {
		t.Errorf("B without ResetTimer: %v", err)
	}
	for _, src := range []string{
		"package runtime\n",
		"package runtime\nconst forcePreemptNS = 1\nfunc sysmon() {}\n",
		"package runtime\nconst forcePreemptNS = 1\nfunc sysmon() { idle := 0; usleep(1); usleep(2) }\n",
		"package runtime\nconst forcePreemptNS = 1\nfunc sysmon() { usleep(1) }\n",
	} {
		if _, err := quietScheduler([]byte(src)); err == nil {
			t.Errorf("quietScheduler took %q", src)
		}
	}
}
