package report

import (
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/attempt"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// TestMessagesFitTheirTerminal: at 80 columns no line is longer, a command stays in
// one line, and a pipe has a line per message.
func TestMessagesFitTheirTerminal(t *testing.T) {
	row := func(name string) attempt.Row {
		return attempt.Row{Key: result.Key{Name: name}, Unit: "sec/op", Change: result.Change{Ratio: 0.6, Lo: 0.59, Hi: 0.61}}
	}
	long := attempt.Answer{Verdict: attempt.Keep, Rows: []attempt.Row{row("Decode/format=netstrings/compression=zstandard"), row("Encode/format=netstrings")}}
	undo := attempt.Answer{Verdict: attempt.Revert, Reason: "undecided at 99.9%, the level of a keep, after 3 blocks in 2.5 s here", Rows: []attempt.Row{row("NameThatHasNoSlashAndNoUnderscore")}}
	session := attempt.Session{Attempts: []attempt.Attempt{{N: 1, Answer: long}, {N: 2, Answer: undo}}}
	session.Baseline.Why = "other flags than before, because the packages that are named do not have the benchmarks"
	answer := attempt.Result{Attempt: attempt.Attempt{N: 2, Answer: undo, Best: "3f1c2abcdef0123"}, Session: session}
	for name, write := range map[string]func(*strings.Builder, int) error{
		"try": func(b *strings.Builder, w int) error { return AttemptText(b, answer, Options{Width: w}) },
		"log": func(b *strings.Builder, w int) error { return AttemptLog(b, session, "folder", Options{Width: w}) },
		"doctor": func(b *strings.Builder, w int) error {
			return DiagnosisText(b, &machine.Diagnosis{Skipped: "another program holds the lock of this machine: tare doctor -lock off measures"}, Options{Width: w})
		},
		"live": func(b *strings.Builder, w int) error {
			l := NewLive(b, LiveOptions{Terminal: w > 0, Width: w, Total: 5 * time.Minute})
			l.Progress(result.Progress{Phase: "planned", Left: 4 * time.Minute, Reach: result.Reach{Expected: 180, Of: 215, Enough: 350 * time.Second}})
			l.Notice("compile example.com/m:\n\tm.go:3:1: " + strings.Repeat("undefined ", 9))
			return nil
		},
	} {
		var pipe, terminal strings.Builder
		if err := write(&pipe, 0); err != nil {
			t.Fatal(err)
		}
		if err := write(&terminal, 80); err != nil {
			t.Fatal(err)
		}
		if widest(pipe.String()) <= 80 {
			t.Errorf("%s: nothing to wrap in\n%s", name, pipe.String())
		}
		if n := widest(terminal.String()); n > 80 {
			t.Errorf("%s: %d columns in\n%s", name, n, terminal.String())
		}
		if got, want := strings.Fields(strings.ReplaceAll(terminal.String(), " · ", " ")), strings.Fields(strings.ReplaceAll(pipe.String(), " · ", " ")); strings.Join(got, "") != strings.Join(want, "") {
			t.Errorf("%s: other words:\n%s\nand in a pipe\n%s", name, terminal.String(), pipe.String())
		}
		if name == "try" && !strings.HasSuffix(terminal.String(), "\n  git restore --source=3f1c2abcdef0 -W -- :/\n") {
			t.Errorf("no line for the command in\n%s", terminal.String())
		}
		if name == "try" && strings.Count(pipe.String(), "\n") != 1 {
			t.Errorf("several lines in a pipe:\n%s", pipe.String())
		}
	}
}

func widest(text string) (n int) {
	for line := range strings.Lines(text) {
		n = max(n, words.Columns(strings.TrimSuffix(line, "\n")))
	}
	return n
}
