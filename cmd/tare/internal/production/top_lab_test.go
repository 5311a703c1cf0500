//go:build lab

package production

import (
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// TestTop: the weights are those of go tool pprof -top -cum, on the profile by which
// the compiler is compiled, and on two parts of it.
func TestTop(t *testing.T) {
	file := filepath.Join(runtime.GOROOT(), "src", "cmd", "compile", "default.pgo")
	p, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, focus := range []string{"", "ssa", "typecheck"} {
		out, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-nodecount=300", "-focus="+focus, file).Output()
		if err != nil {
			t.Fatal(err)
		}
		q := *p
		if focus != "" { // pprof shows shares of the whole profile
			q.stacks = nil
			like := regexp.MustCompile(focus)
			for _, s := range p.stacks {
				if like.MatchString(strings.Join(s.functions, "\n")) {
					q.stacks = append(q.stacks, s)
				}
			}
		}
		of := q.Weigh(func(string) bool { return true })
		checked, worst := 0, 0.0
		for _, m := range regexp.MustCompile(`(?m)^\s*\S+\s+\S+%\s+\S+%\s+\S+\s+(\S+)%\s+(\S+)( \(inline\))?$`).FindAllStringSubmatch(string(out), -1) {
			if objcode.Source(m[2]) != strings.ReplaceAll(m[2], "[...]", "") {
				continue // a function literal, whose time is also of the function around it
			}
			cum, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			d := math.Abs(of[objcode.Source(m[2])].Total - cum/100)
			if worst = max(worst, d); d > 0.01 {
				t.Errorf("focus %q: %s: %.2f%%, pprof has %.2f%%", focus, m[2], 100*of[objcode.Source(m[2])].Total, cum)
			}
			checked++
		}
		t.Logf("focus %q: %d functions, at most %.3f%% apart", focus, checked, 100*worst)
		if checked < 100 {
			t.Errorf("focus %q: %d functions", focus, checked)
		}
	}
}
