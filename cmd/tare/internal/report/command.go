package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// MadeBy returns the command that made the study or the document.
func (d Document) MadeBy() []string {
	command := slices.Clone(d.Command)
	if d.Recording != nil && len(d.Recording.Study.Command) > 0 {
		command = slices.Clone(d.Recording.Study.Command)
	}
	if len(command) > 0 {
		command[0] = filepath.Base(command[0]) // omit the path of the tare binary
	}
	return command
}

// longerSlices counts the undecided benchmarks whose long runs contradict their
// slices. It returns the command that measures them with slices as long as these,
// since more blocks of the same slices decide none. Of busy ones no long run is known,
// because other programs had their CPUs.
func (d Document) longerSlices() (n, busy int, command string) {
	if d.Recording == nil {
		return 0, 0, ""
	}
	var names []string
	most := int64(1)
	for i := range d.Comparison.Benchmarks {
		r := &d.Comparison.Benchmarks[i]
		if r.Verdict != result.Undecided || r.LongRuns == nil || !r.LongRuns.Contradict {
			continue
		}
		if len(r.LongRuns.Levels) == 0 {
			busy++
			continue
		}
		n++
		name, _, _ := strings.Cut(r.Name, "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		for _, b := range d.Recording.Benchmarks {
			if b.Key == r.Key {
				most = max(most, longest(b))
			}
		}
	}
	return n, busy, d.again("-benchtime", fmt.Sprintf("%dx", most), "-bench", "Benchmark("+strings.Join(names, "|")+")$")
}

// longest is the most iterations of a long run.
func longest(b result.Benchmark) (n int64) {
	for _, k := range b.Blocks {
		for _, r := range k.LongRuns() {
			for _, s := range r.Slices {
				n = max(n, s.N)
			}
		}
	}
	return n
}

// again returns the typed command line with more flags. For a recording that is
// only read, it has "…" for the rest: a line to type never comes from a file.
func (d Document) again(flags ...string) string {
	if len(d.Command) < 2 || d.Command[1] != "compare" || d.Recording == nil {
		return "tare compare " + words.Shell(flags) + " …"
	}
	return words.Again(d.Command, flags...)
}
