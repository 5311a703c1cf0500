// Validate measures the claims of docs/validation.md on this machine, at the commit
// of the working tree, one command after another, and prints their tables. All take
// hours: a row with a figure of this commit and machine is not measured again.
//
//	go run ./cmd/tare/internal/lab/validate -keep DIR -rows 'Load.*at rest'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

// measured is the outcome of a command.
type measured struct {
	Commit, Machine string
	At              time.Time
	Seconds         float64
	Figure, Output  string
}

func main() {
	log.SetFlags(0)
	keep := flag.String("keep", "", "directory for the outcomes (default: tare-validate in the cache of the user)")
	pattern := flag.String("rows", "", "measure rows whose table and claim match, and print the others that have a figure")
	list := flag.Bool("list", false, "print commands, and measure nothing")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, *keep, *pattern, *list); err != nil {
		log.Fatal("validate: ", err)
	}
}

func run(ctx context.Context, keep, pattern string, list bool) error {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	if keep == "" {
		if keep, err = os.UserCacheDir(); err != nil {
			return err
		}
		keep = filepath.Join(keep, "tare-validate")
	}
	if err := os.MkdirAll(keep, 0o777); err != nil {
		return err
	}
	head, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return fmt.Errorf("name commit: %w", err)
	}
	now := measured{Commit: strings.TrimSpace(string(head)), Machine: machine.Facts(os.DirFS("/")).CPU.Model}
	table, failed := "", 0
	for _, r := range rows() {
		if list {
			fmt.Printf("%s: %s\n\t%s\n", r.table, r.claim, strings.Join(r.command, " "))
			continue
		}
		m, known := r.kept(keep, now)
		if !known && match.MatchString(r.table+": "+r.claim) {
			log.Printf("%s %s: %s", time.Now().Format(time.TimeOnly), r.table, r.claim)
			if m, err = r.measure(ctx, now); err != nil {
				failed++
				log.Print(err)
			} else if err := r.keep(keep, m); err != nil {
				return err
			}
		}
		if m.Figure == "" || ctx.Err() != nil {
			continue
		}
		if r.table != table {
			table = r.table
			fmt.Printf("\n## %s\n\n%s, %s\n\n| claim | target | measured | date, seconds | command |\n|---|---|---|---|---|\n", table, m.Commit, m.Machine)
		}
		fmt.Printf("| %s | %s | %s | %s, %.0f | `%s` |\n", r.claim, r.target, m.Figure, m.At.Format(time.DateOnly), m.Seconds, strings.ReplaceAll(strings.Join(r.command, " "), "|", "\\|"))
	}
	if failed > 0 {
		return fmt.Errorf("%d rows have no figure", failed)
	}
	return ctx.Err()
}

func (r row) file(folder string) string {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(r.command, "\x00")))
	return filepath.Join(folder, fmt.Sprintf("%016x.json", h.Sum64()))
}

func (r row) kept(folder string, now measured) (m measured, ok bool) {
	data, err := os.ReadFile(r.file(folder))
	if err != nil || json.Unmarshal(data, &m) != nil || m.Commit != now.Commit || strings.HasSuffix(m.Commit, "-dirty") || m.Machine != now.Machine {
		return measured{}, false
	}
	return m, true
}

func (r row) keep(folder string, m measured) error {
	data, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(r.file(folder), data, 0o666)
}

// measure runs the command. A test that misses its target has a figure, too.
func (r row) measure(ctx context.Context, now measured) (measured, error) {
	now.At = time.Now()
	cmd := exec.CommandContext(ctx, r.command[0], r.command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.CombinedOutput()
	now.Seconds, now.Output = time.Since(now.At).Seconds(), string(out)
	found := regexp.MustCompile(r.figure).FindAllStringSubmatch(now.Output, -1)
	if len(found) == 0 {
		return now, errors.Join(fmt.Errorf("run %s: no figure in its output: %s", strings.Join(r.command, " "), last(now.Output)), err)
	}
	var figures []string
	for _, f := range found {
		figures = append(figures, slices.DeleteFunc(f[1:], func(s string) bool { return s == "" })...)
	}
	now.Figure = strings.Join(figures, "; ")
	return now, nil
}

// last are the last lines of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
