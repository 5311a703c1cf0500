package study

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestAloneAfterRounds: that two processes cannot live at the same time may
// show in the middle of the first block. What it had is replaced, on record
// too: no round stands twice in a block.
func TestAloneAfterRounds(t *testing.T) {
	t.Parallel()
	lock := filepath.Join(t.TempDir(), "lock")
	dir := module(t, map[string]string{"m_test.go": `package m

import (
	"os"
	"syscall"
	"testing"
)

var (
	second bool
	calls  int
)

func init() {
	f, err := os.OpenFile(` + strconv.Quote(lock) + `, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		panic(err)
	}
	held = f
	second = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

var held *os.File

func BenchmarkLate(b *testing.B) {
	if calls++; second && calls > 40 {
		b.Fatal("two of us")
	}
}
`})
	s := newSource(t, dir, "")
	rec, err := record(t, Options{
		Study: compareStudy(2, func(p *result.Plan) { p.BlockSeconds = 0.01; p.Iterations = 100 }), Sources: []Source{s, s}, Packages: []string{"example.com/m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := rec.Benchmarks[0].Blocks
	if len(blocks) != 2 || !slices.ContainsFunc(rec.Findings, isFinding("one-at-a-time")) {
		t.Fatalf("%d blocks, findings %v, stops %v", len(blocks), rec.Findings, rec.Stops)
	}
	for _, k := range blocks {
		if want := 1 - min(k.Block, 1); k.Try != want {
			t.Errorf("block %d is try %d, want %d", k.Block, k.Try, want)
		}
		for i, r := range k.Rounds {
			if r.Warmup {
				t.Errorf("block %d, round %d is one of lockstep", k.Block, i)
			}
		}
	}
	if p := rec.Benchmarks[0].Pilot; p == nil || !p.Alone || p.Iterations != 100 {
		t.Errorf("plan %+v, want 100 iterations, alone", p)
	}
}

// TestPlainProcessesEndWithUs: a plain process and its children are gone
// when the study was interrupted.
func TestPlainProcessesEndWithUs(t *testing.T) {
	t.Parallel()
	note := filepath.Join(t.TempDir(), "child")
	dir := module(t, map[string]string{"m_test.go": `package m

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

func BenchmarkX(b *testing.B) {
	child := exec.Command("sleep", "600")
	child.Stdout = os.Stdout // holds it open
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(` + strconv.Quote(note+".new") + `, []byte(strconv.Itoa(child.Process.Pid)), 0o600); err != nil {
		b.Fatal(err)
	}
	os.Rename(` + strconv.Quote(note+".new") + `, ` + strconv.Quote(note) + `)
	time.Sleep(time.Hour)
}
`})
	s := newSource(t, dir, "")
	s.plain = true
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(note); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if err := Run(ctx, Options{
		Study: compareStudy(1, func(p *result.Plan) { p.BlockSeconds = 0.001; p.Procs = []int{2} }), Sources: []Source{s, s}, Packages: []string{"example.com/m"},
		Write: func(result.Line) error { return nil },
	}); err == nil {
		t.Fatal("the study was not interrupted")
	}
	text, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		comm, err := os.ReadFile(filepath.Join("/proc", string(text), "stat"))
		if err != nil || !strings.Contains(string(comm), "(sleep) S") {
			return // gone, or a zombie
		}
		if time.Since(began) > time.Minute {
			syscall.Kill(child, syscall.SIGKILL)
			t.Fatal("the child of a plain process outlives the study")
		}
	}
}
