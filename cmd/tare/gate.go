package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/unit"
)

func gateFlag() *option {
	return &option{name: "gate", value: new(limits), hideDefault: true,
		text: "exit 3 if time rose by more than -delta, or allocs/op or B/op rose, and 4 if undecided. -gate=`LIMITS` sets other limits (allocs/op=0,B/op=1%,sec/op=3%; accept=trailer, missing=pass: docs/ci.md)"}
}

// limits is the value of -gate, which may have none.
type limits struct{ result.Limits }

// IsBoolFlag reports that the next argument is not the value.
func (l *limits) IsBoolFlag() bool { return true }

func (l *limits) Get() any { return l.Limits }

func (l *limits) String() string { return "" }

// gateUnits are the units that every benchmark can have.
var gateUnits = []string{"sec/op", "B/op", "allocs/op", "instructions/op"}

// Set reads the limits: units, each with or without a share.
func (l *limits) Set(text string) error {
	switch text {
	case "true":
		l.Limits = result.DefaultLimits()
		return nil
	case "false":
		l.Limits = nil
		return nil
	}
	l.Limits = make(result.Limits)
	for one := range strings.SplitSeq(text, ",") {
		name, share, given := strings.Cut(one, "=")
		if name == result.AcceptTrailer && share == "trailer" || name == result.MissingPass && share == "pass" {
			l.Limits[name] = 0
			continue
		}
		_, name = benchunit.Tidy(1, strings.TrimSpace(name))
		if hint := words.Hint(name, gateUnits, ""); name == "" || hint != "" && !slices.Contains(gateUnits, name) {
			return fmt.Errorf("%q is no unit: one of %s, or one that a benchmark reports%s", name, strings.Join(gateUnits, ", "), hint)
		}
		l.Limits[name] = result.DefaultLimit
		if !given {
			continue
		}
		limit, err := unit.ParsePercent(share)
		if err != nil {
			return fmt.Errorf("limit of %s: %q is not a share such as 0 or 3%%: UNIT=SHARE, with %s, or a unit that a benchmark reports", name, share, strings.Join(gateUnits, ", "))
		}
		l.Limits[name] = limit
	}
	isKey := func(name string, _ float64) bool { return name == result.AcceptTrailer || name == result.MissingPass }
	if units := maps.Clone(l.Limits); len(units) > 0 {
		if maps.DeleteFunc(units, isKey); len(units) == 0 {
			maps.Copy(l.Limits, result.DefaultLimits())
		}
	}
	return nil
}

func readGate(c *command) result.Limits {
	return value[result.Limits](c, "gate")
}

// gateExit returns the exit code of -gate, with the benchmarks that cause it.
// If the gate passes, it prints the coverage. In GitHub Actions each regression
// is annotated.
func gateExit(s streams, c *result.Comparison) error {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		// GitHub reads annotations from standard error too, where they leave
		// the data alone.
		if err := report.Annotations(s.err, report.Document{Comparison: c}); err != nil {
			return err
		}
	}
	outcome, why := report.Gate(c)
	if len(outcome.Unread) > 0 {
		var units []string
		for _, r := range c.Benchmarks {
			if !slices.Contains(units, r.Unit) {
				units = append(units, r.Unit)
			}
		}
		return usagef("flag -gate: no row has the unit %s: there are %s", strings.Join(outcome.Unread, ", "), strings.Join(units, ", "))
	}
	switch outcome.Gate {
	case judge.Regression:
		return &exitError{exitFound, errors.New(why)}
	case judge.Open:
		return &exitError{exitUndecided, errors.New(why)}
	}
	if why != "" {
		s.say("%s", why)
	}
	return nil
}
