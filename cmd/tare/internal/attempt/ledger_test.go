package attempt

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func openTest(t *testing.T, root string) (*Ledger, func()) {
	t.Helper()
	l, release, err := openLedger(t.Context(), root, "", func() {})
	if err != nil {
		t.Fatal(err)
	}
	return l, release
}

func attemptLine(n int, tree string, v Verdict, level float64) Line {
	return Line{Attempt: &Attempt{N: n, Tree: tree, Commit: "c" + tree, Best: "first", Answer: Answer{Verdict: v}, Level: level}}
}

// A kill in the middle of a write leaves all whole lines, and the next attempt
// writes a whole line again.
func TestLedgerOutlivesAKill(t *testing.T) {
	root := filepath.Join(t.TempDir(), "[no] pattern")
	if err := os.Mkdir(root, 0o777); err != nil {
		t.Fatal(err)
	}
	l, err := createLedger(root, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []Line{
		{Baseline: &Baseline{Schema: Schema, Commit: "first"}},
		attemptLine(1, "a", Open, 0.01), attemptLine(1, "a", Revert, 0.01), attemptLine(2, "b", Open, 0.005),
	} {
		if err := l.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(l.Folder, ledgerName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"attempt":{"n":3,"tr`); err != nil {
		t.Fatal(err)
	}
	f.Close()

	l, release := openTest(t, root)
	defer release()
	s := l.Session()
	if len(s.Attempts) != 2 || s.Attempts[0].Verdict != Revert || s.Attempts[1].Verdict != Open {
		t.Fatalf("attempts are %+v", s.Attempts)
	}
	if got := s.Levels(); got.Tests != 2 || len(got.Kept) != 0 {
		t.Errorf("levels are %+v: an attempt that was killed has spent its level", got)
	}
	if err := l.Add(attemptLine(3, "c", Keep, 0.004)); err != nil {
		t.Fatal(err)
	}
	again, err := read(l.Folder)
	if err != nil {
		t.Fatal(err)
	}
	if s := again.Session(); len(s.Attempts) != 3 || s.Best() != "cc" {
		t.Errorf("attempts are %+v, best %q", s.Attempts, s.Best())
	}
}

func TestLedgerIsLocked(t *testing.T) {
	root := t.TempDir()
	_, release := openTest(t, root)
	waited := make(chan bool, 1)
	done := make(chan error, 1)
	go func() {
		_, second, err := openLedger(t.Context(), root, "", func() { waited <- true })
		if err == nil {
			second()
		}
		done <- err
	}()
	<-waited
	select {
	case err := <-done:
		t.Fatalf("the second attempt did not wait: %v", err)
	default:
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}

	_, release = openTest(t, root)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := openLedger(ctx, root, "", cancel); err == nil {
		t.Error("a canceled wait succeeded")
	}
}

// A tree is measured once for each best tree. A new baseline forgets the
// answers, and not what they spent.
func TestSessionKnowsItsTrees(t *testing.T) {
	s := sessionOf([]Line{
		{Baseline: &Baseline{Commit: "first"}}, attemptLine(1, "a", Revert, 0.01), attemptLine(2, "b", Keep, 0.01), attemptLine(3, "c", Failed, 0),
	})
	if s.Known("a") != nil {
		t.Error("tree a was compared with another best tree")
	}
	if a := s.Known("b"); a == nil || a.N != 2 {
		t.Errorf("the best tree is attempt %+v", a)
	}
	if s.Known("c") != nil {
		t.Error("a failure is no answer")
	}
	before := s.Levels()
	s = sessionOf([]Line{
		{Baseline: &Baseline{Commit: "first"}}, attemptLine(1, "a", Revert, 0.01), attemptLine(2, "b", Keep, 0.01),
		{Baseline: &Baseline{Commit: "cb", Why: "toolchain"}},
	})
	if s.Known("b") != nil || s.Best() != "cb" {
		t.Errorf("after a new baseline b is %+v and the best is %q", s.Known("b"), s.Best())
	}
	if after := s.Levels(); after.Tests != before.Tests || len(after.Kept) != 1 {
		t.Errorf("levels are %+v, were %+v", after, before)
	}
	if s.Next() != 3 {
		t.Errorf("next is %d", s.Next())
	}
}

// TestUnreadableLedger: the error names the file and what to do.
func TestUnreadableLedger(t *testing.T) {
	for _, text := range []string{"garbage\n", `{"baseline":{"schema":99}}` + "\n"} {
		root := t.TempDir()
		l, err := createLedger(root, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(l.Folder, ledgerName)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err = openLedger(t.Context(), root, "", func() {})
		if err == nil || !strings.Contains(err.Error(), name) || !strings.HasSuffix(err.Error(), ": remove its directory to begin a session") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
