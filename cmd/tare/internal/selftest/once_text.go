package selftest

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// OnceDocument is the JSON document of benchmarks that were run once.
func OnceDocument(results []OnceResult) any {
	return struct {
		Schema  int          `json:"schema"`
		Results []OnceResult `json:"benchmarks"`
	}{result.Schema, results}
}

// WriteOnce writes a table of the benchmarks that are broken, or of all, and a
// line that counts the outcomes.
func WriteOnce(w io.Writer, results []OnceResult, all bool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	count := make(map[Outcome]int)
	rows := 0
	for _, r := range results {
		count[r.Outcome]++
		if !all && r.Outcome == OK {
			continue
		}
		if rows == 0 {
			fmt.Fprintln(tw, "package\tbenchmark\toutcome\texit\ttime")
		}
		rows++
		exit := fmt.Sprint(r.Exit)
		if r.Exit < 0 {
			exit = "killed"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.1fs\n", r.Package, r.Benchmark, r.Outcome, exit, r.Seconds)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	var tally []string
	for _, o := range []Outcome{OK, Skipped, Failed, Panicked, Exited, TimedOut, NoBuild} {
		if count[o] > 0 {
			tally = append(tally, fmt.Sprintf("%d %s", count[o], o))
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(tally, ", "))
	return err
}

// WriteFailure writes a broken benchmark with the last lines of its output.
func WriteFailure(w io.Writer, r OnceResult) error {
	const most = 20
	lines := strings.Split(r.Output, "\n")
	if len(lines) > most {
		lines = append([]string{"…"}, lines[len(lines)-most:]...)
	}
	_, err := fmt.Fprintf(w, "%s %s: %s\n    %s\n", r.Package, r.Benchmark, r.Outcome, strings.Join(lines, "\n    "))
	return err
}
