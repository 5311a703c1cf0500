package bisect

import (
	"fmt"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// command is the line of a shell script that repeats a question.
func command(s session.Spec, q question) string {
	if q.Kind == "code" {
		return fmt.Sprintf("# other machine code in %s and %s", quote(s.Variants[0].Label), quote(s.Variants[1].Label))
	}
	args := []string{"tare", "compare", "-bench", quote(s.Bench), "-seed", fmt.Sprint(s.Seed)}
	switch {
	case s.Instructions:
		args = append(args, "-units", "time,instructions", "-blocks", "1")
	case q.Kind == "count":
		args = append(args, "-blocks", fmt.Sprint(q.N), "-benchtime", duration(s.BlockSeconds).String(), "-layouts=false")
	case q.Kind == "blocks":
		args = append(args, "-blocks", fmt.Sprint(q.N))
	default:
		args = append(args, "-delta", fmt.Sprintf("%g%%", 100*s.Delta), "-alpha", fmt.Sprint(s.Alpha), "-budget", duration(s.BudgetSeconds).String())
	}
	if len(s.Tags) > 0 {
		args = append(args, "-tags", quote(strings.Join(s.Tags, ",")))
	}
	for _, n := range s.Procs {
		args = append(args, "-cpu", fmt.Sprint(n))
	}
	if s.MeasureAll {
		args = append(args, "-measure-all")
	}
	args = append(args, quote(s.Variants[0].Label), quote(s.Variants[1].Label))
	for _, pkg := range s.Packages {
		args = append(args, quote(pkg))
	}
	if len(s.Args) > 0 {
		args = append(args, "--")
		for _, a := range s.Args {
			args = append(args, quote(a))
		}
	}
	return strings.Join(args, " ")
}

// summary is a comment on an answer.
func (a answer) summary() string {
	switch {
	case a.Reason != "":
		return "cannot be measured: " + words.FirstLine(a.Reason)
	case a.Kind == "code":
		return ""
	case a.SameCode:
		return "the same machine code"
	case a.Exact:
		return fmt.Sprintf("%.6g to %.6g", a.Old, a.New)
	case a.Kind == "blocks":
		sum := 0.0
		for _, v := range a.Logs {
			sum += v
		}
		return fmt.Sprintf("%+.3g%%", 100*sum/float64(max(1, len(a.Logs))))
	case a.Differs:
		return fmt.Sprintf("%+.3g%%, differs", 100*a.Center)
	}
	return fmt.Sprintf("%+.3g%%, no difference", 100*a.Center)
}

// quote protects a word from the shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
