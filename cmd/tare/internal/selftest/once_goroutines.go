package selftest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The benchmarks of ours, and the line that each prints before its list of
// goroutines. Package testing runs benchmarks in the order of their files, those
// of the package itself before those of its external tests: the first goes into
// a file whose name sorts before all others, the last into one after them.
const (
	firstBenchmark = "BenchmarkTareOnceFirst"
	lastBenchmark  = "BenchmarkTareOnceLast"
	mark           = "tare once goroutines"
)

// watchSource prints the stacks of all goroutines. The last one gives those that
// are about to end a second for it.
const watchSource = `package %s

import (
	tarefmt "fmt"
	tareos "os"
	tareruntime "runtime"
	taretesting "testing"
	taretime "time"
)

func %s(b *taretesting.B) {
	buf := make([]byte, 1<<20)
	n := tareruntime.Stack(buf, true)
	for end := taretime.Now().Add(%d * taretime.Millisecond); taretime.Now().Before(end) && tareruntime.NumGoroutine() > 2; {
		taretime.Sleep(5 * taretime.Millisecond)
		n = tareruntime.Stack(buf, true)
	}
	tarefmt.Fprintf(tareos.Stdout, "\n` + mark + ` %%d\n%%s\n", n, buf[:n])
}
`

// overlay writes the two benchmarks for a package into a folder and returns the
// overlay file for the go command.
func overlay(p testPackage, folder string) (string, error) {
	replace := make(map[string]string)
	add := func(file, pkg, name string, patience int) error {
		path := filepath.Join(folder, file)
		replace[filepath.Join(p.Dir, file)] = path
		return os.WriteFile(path, fmt.Appendf(nil, watchSource, pkg, name, patience), 0o666)
	}
	first, last := p.Name, p.Name+"_test"
	if !p.Internal {
		first = last
	} else if !p.External {
		last = first
	}
	if err := add("000_tare_once_test.go", first, firstBenchmark, 0); err != nil {
		return "", err
	}
	if err := add("zzz_tare_once_test.go", last, lastBenchmark, 1000); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o666)
}

var (
	markLine = regexp.MustCompile(`(?m)^` + mark + ` (\d+)\n`)
	created  = regexp.MustCompile(`(?m)^created by (\S+)`)
	header   = regexp.MustCompile(`^goroutine \d+ `)
)

// leaked compares the goroutines that the output of a process lists first and
// last. It names the functions that started those that are only in the last
// list, and their number; known is false when the lists are not there.
func leaked(output string) (starters []string, n int, known bool) {
	marks := markLine.FindAllStringSubmatchIndex(output, -1)
	if len(marks) < 2 {
		return nil, 0, false
	}
	lists := make([]map[string]string, 2) // the starters, by goroutine
	for i, m := range [][]int{marks[0], marks[len(marks)-1]} {
		var length int
		fmt.Sscan(output[m[2]:m[3]], &length)
		lists[i] = goroutines(output[m[1]:min(m[1]+length, len(output))])
	}
	for id, starter := range lists[1] {
		if _, before := lists[0][id]; before {
			continue
		}
		n++
		if !slices.Contains(starters, starter) {
			starters = append(starters, starter)
		}
	}
	slices.Sort(starters)
	return starters, n, true
}

// goroutines reads stacks: the function that started each goroutine, by its
// header up to its state. Those of package testing are left out.
func goroutines(stacks string) map[string]string {
	list := make(map[string]string)
	for _, stack := range strings.Split(stacks, "\n\n") {
		id := header.FindString(strings.TrimLeft(stack, "\n"))
		if id == "" {
			continue
		}
		by := created.FindStringSubmatch(stack)
		switch {
		case by == nil: // main
		case strings.HasPrefix(by[1], "testing."), strings.HasPrefix(by[1], "runtime."), strings.HasPrefix(by[1], "os/signal."):
		default:
			list[id] = by[1]
		}
	}
	return list
}

// withoutLists removes what our benchmarks printed.
func withoutLists(output string) string {
	for {
		m := markLine.FindStringSubmatchIndex(output)
		if m == nil {
			return output
		}
		var length int
		fmt.Sscan(output[m[2]:m[3]], &length)
		output = output[:m[0]] + output[min(m[1]+length, len(output)):]
	}
}
