//go:build lab

package modules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// count returns the number of benchmarks with one of the verdicts.
func (r report) count(verdicts ...result.Verdict) int {
	n := 0
	for _, b := range r.benchmarks {
		if b.Blocks > 0 && slices.Contains(verdicts, b.Verdict) {
			n++
		}
	}
	return n
}

// summary is the module's row of the first table.
func (r report) summary() string {
	oneSided := 0
	for _, b := range r.benchmarks {
		if b.Blocks == 0 && b.Verdict != "failed" {
			oneSided++
		}
	}
	kind := strings.ReplaceAll(r.kind, ";", ",")
	return fmt.Sprintf("| %s | %s → %s | %s | %d | %d | %d | %d | %d | %d | %d | %.0f s | %s | %s |", r.name(), r.old, r.new, kind,
		len(r.benchmarks), r.count("faster"), r.count("slower"), r.count("same"), r.count("undecided"), oneSided, r.failed,
		r.wall.Seconds(), r.load, cell(r.broke))
}

// rows are the module's rows of the second table, one for a benchmark.
func (r report) rows() []string {
	var rows []string
	for _, b := range r.benchmarks {
		change, times := "", ""
		if c := b.Change; words.Known(c.Ratio) {
			change = fmt.Sprintf("%+.1f%%", 100*(c.Ratio-1))
			if words.Known(c.Lo) && words.Known(c.Hi) {
				change += fmt.Sprintf(" (%+.1f … %+.1f)", 100*(c.Lo-1), 100*(c.Hi-1))
			}
			times = short(b.Old.Center) + " → " + short(b.New.Center)
		}
		verdict := string(b.Verdict)
		if b.Blocks == 0 && len(b.Findings) > 0 {
			verdict += ": " + b.Findings[0].Message
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | %d | %.1f s |", r.name(), cell(b.Name), times, change, cell(verdict), b.Blocks, b.Seconds))
	}
	return rows
}

// short is a time with three significant digits.
func short(seconds float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= u.size {
			return fmt.Sprintf("%.3g %s", seconds/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", seconds*1e9)
}

// cell makes a text fit for a cell of a table.
func cell(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ReplaceAll(line, "|", `\|`)
}

// claimRow is the module's row of the third table: the claim, and the measured
// values.
func (r report) claimRow() string {
	var verdicts []string
	for _, b := range r.benchmarks {
		if c := b.Change; words.Known(c.Ratio) {
			verdicts = append(verdicts, fmt.Sprintf("%s %+.1f%% %s", cell(b.Name), 100*(c.Ratio-1), b.Verdict))
		}
	}
	return fmt.Sprintf("| %s | %s | %s |", r.name(), cell(r.claim), strings.Join(verdicts, "; "))
}

// writePage puts the rows of the reports into the tables of a page, in place of
// the rows of the same modules.
func writePage(t *testing.T, path string, reports []report) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, table := range []struct {
		name string
		rows func(report) []string
	}{
		{"modules", func(r report) []string { return []string{r.summary()} }},
		{"benchmarks", report.rows},
		{"undecided", report.undecidedRows},
		{"claims", func(r report) []string {
			if r.claim == "" {
				return nil
			}
			return []string{r.claimRow()}
		}},
	} {
		if page, err = replaceRows(page, table.name, reports, table.rows); err != nil {
			t.Fatalf("%s: %v", filepath.Base(path), err)
		}
	}
	if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
}

// replaceRows replaces the rows of the reported modules between the markers of
// a table, and sorts all of its rows by module.
func replaceRows(page, table string, reports []report, rows func(report) []string) (string, error) {
	begin, end := "<!-- "+table+" -->\n", "<!-- end of "+table+" -->"
	before, rest, ok1 := strings.Cut(page, begin)
	inside, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("no markers of the table %q", table)
	}
	lines := strings.Split(strings.TrimSpace(inside), "\n")
	if len(lines) < 2 {
		return "", fmt.Errorf("the table %q has no head", table)
	}
	head, kept := lines[:2], slices.Clone(lines[2:])
	for _, r := range reports {
		kept = slices.DeleteFunc(kept, func(line string) bool { return strings.HasPrefix(line, "| "+r.name()+" |") })
		kept = append(kept, rows(r)...)
	}
	name := func(row string) string { return strings.ToLower(strings.SplitN(row, "|", 3)[1]) }
	slices.SortStableFunc(kept, func(a, b string) int { return strings.Compare(name(a), name(b)) })
	return before + begin + "\n" + strings.Join(append(slices.Clone(head), kept...), "\n") + "\n\n" + end + after, nil
}

func TestReplaceRows(t *testing.T) {
	page := "text\n<!-- modules -->\n\n| module |\n|---|\n| b | old |\n| a | old |\n\n<!-- end of modules -->\nmore\n"
	got, err := replaceRows(page, "modules", []report{{module: module{path: "b"}}}, func(r report) []string { return []string{"| b | new |", "| b | second |"} })
	want := "text\n<!-- modules -->\n\n| module |\n|---|\n| a | old |\n| b | new |\n| b | second |\n\n<!-- end of modules -->\nmore\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := replaceRows(page, "claims", nil, nil); err == nil {
		t.Error("no error for a table that is not there")
	}
}
