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

// TestTop compares the weights with the output of go tool pprof -top -cum. The three
// profiles are of the compiler (its default.pgo), of gofmt and of a test binary.
func TestTop(t *testing.T) {
	source, dir := filepath.Join(runtime.GOROOT(), "src"), t.TempDir()
	gofmt, json := filepath.Join(dir, "gofmt"), filepath.Join(dir, "json")
	for _, c := range []*exec.Cmd{
		exec.Command("gofmt", "-l", "-cpuprofile", gofmt, filepath.Join(source, "net", "http"), filepath.Join(source, "cmd", "compile", "internal", "ssa")),
		exec.Command("go", "test", "-run", "^$", "-bench", "Code", "-o", filepath.Join(dir, "json.test"), "-cpuprofile", json, "encoding/json"),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", c.Args, err, out)
		}
	}
	for _, file := range []string{filepath.Join(source, "cmd", "compile", "default.pgo"), gofmt, json} {
		p, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "tool", "pprof", "-top", "-cum", "-nodecount=100000", "-nodefraction=0", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		of := p.Weigh(func(string) bool { return true })
		rows := regexp.MustCompile(`(?m)^\s*\S+\s+\S+%\s+\S+%\s+\S+\s+(\S+)%\s+(\S+)( \(inline\))?$`).FindAllStringSubmatch(string(out), -1)
		apart := make(map[string]bool) // pprof has function literals of it in rows of their own
		for _, m := range rows {
			if s := objcode.Source(m[2]); s != strings.ReplaceAll(m[2], "[...]", "") {
				apart[s] = true
			}
		}
		checked, worst := 0, 0.0
		for _, m := range rows {
			if apart[objcode.Source(m[2])] {
				continue
			}
			cum, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			d := math.Abs(of[objcode.Source(m[2])].Total - cum/100)
			if worst = max(worst, d); d > 0.01 {
				t.Errorf("%s: %s: %.2f%%, pprof has %.2f%%", filepath.Base(file), m[2], 100*of[objcode.Source(m[2])].Total, cum)
			}
			checked++
		}
		t.Logf("%s: %d functions, at most %.3f%% apart", filepath.Base(file), checked, 100*worst)
		if checked < 100 {
			t.Errorf("%s: %d functions", filepath.Base(file), checked)
		}
	}
}
