package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
	"github.com/tarebench/tare/internal/finding"
)

func compareCommand(s streams) *command {
	return verb(s, "compare", runCompare, flags("bench budget="+session.CompareBudget.String()+" total delta gate units format json o explain v profile"+
		" exec cpu with split watch measure-all audit alone tags blocks="+strconv.Itoa(session.CompareBlocks)+" benchtime alpha seed layouts lock"+
		" on shard resume record keep q sort"+goTest, reportFormat(true)...))
}

func runCompare(ctx context.Context, s streams, c *command) error {
	args, after := c.split()
	if c.is("watch") {
		if c.isGiven("gate") || c.isGiven("shard") || c.isGiven("o") || c.isGiven("resume") {
			return usagef("flag -watch prints one line after each save: omit -gate, -shard, -resume and -o")
		}
		return runWatch(ctx, s, func() error { return runArguments(ctx, s, c, args, after) })
	}
	return runArguments(ctx, s, c, args, after)
}

func runArguments(ctx context.Context, s streams, c *command, args, after []string) error {
	if commands := c.texts("exec"); len(commands) > 1 {
		return runComparison(ctx, s, c, args, after)
	} else if len(args) == 0 && len(commands) == 0 && c.text("resume") == "" {
		return compareSuggested(ctx, s, c, after)
	} else if len(args) < 2 {
		return usagef("compare needs two variants, OLD and NEW, such as: tare compare main .")
	}
	if session.AreResults(ctx, args[:2]...) {
		return compareFiles(s, c, args)
	}
	return runComparison(ctx, s, c, args, after)
}

// compareSuggested compares what the checkout suggests, and prints the line that
// does the same.
func compareSuggested(ctx context.Context, s streams, c *command, after []string) error {
	change, err := session.Suggest(ctx, ".")
	if err != nil {
		return asUsage(err)
	}
	args := append([]string{change.Old, change.New}, change.Packages...)
	fmt.Fprintf(s.err, "tare: %s\n", words.Shell(slices.Concat(s.typed, args)))
	return runComparison(ctx, s, c, args, after)
}

func runComparison(ctx context.Context, s streams, c *command, args, after []string) error {
	o, err := readComparison(s, c, args, after)
	if err != nil {
		return err
	}
	if c.isGiven("shard") {
		return runPart(ctx, s, c, o)
	}
	to, err := readDestination(c, true)
	if err != nil {
		return err
	}
	o.On, o.Output = c.texts("on"), to.request(readGate(c))
	if err := cmp.Or(o.CheckOn(), o.CheckExec()); err != nil {
		return asUsage(err)
	}
	if err := resume(c, &o); err != nil {
		return err
	}
	keep := keeper(ctx, s, c)
	return measure(ctx, s, o, c.is("v"), func(m *session.Session, err error) error {
		comparison := m.Comparison()
		exit := comparisonExit(s, comparison, m.Interrupted(), len(o.Output.Gate) > 0)
		if keep != nil {
			if err := keep(comparison); err != nil {
				exit = errors.Join(err, exit)
			}
		}
		code := codeOf(exit)
		if err != nil {
			code = exitFailed
		}
		return to.writeSession(s, m, err, report.Document{Comparison: &comparison, Exit: code}, exit)
	})
}

func readComparison(s streams, c *command, args, after []string) (o session.Spec, err error) {
	if o, err = readMeasureFlags(s, c, after); err != nil {
		return o, err
	}
	if o.Variants, err = readVariants(c, o.Exec, args); err != nil {
		return o, err
	}
	o.NewTests = len(o.Exec) == 0 && !slices.ContainsFunc(o.Variants, func(v build.Spec) bool { return v.Tests != "" })
	if o.Split = c.is("split"); o.Split {
		if o.Variants, err = session.SplitVariants(o.Variants); err != nil {
			return o, asUsage(err)
		}
		if o.NewTests = false; len(readGate(c)) > 0 {
			return o, usagef("flags -split and -gate: a change of the tests is no regression: omit one of them")
		}
	}
	if o.Packages, err = measured(args[min(2, len(args)):]); err != nil {
		return o, err
	}
	for _, p := range o.Packages {
		if _, keys, ok := strings.Cut(p, ","); ok && strings.Contains(keys, "=") {
			return o, usagef("%s is not a package pattern: give a third variant as -with %s", p, p)
		}
	}
	if o.TotalSeconds > 0 && !c.isGiven("blocks") && !c.isGiven("count") {
		o.MaxBlocks = session.TotalBlocks
	}
	o.Kind, o.Explain, o.Alone = "compare", c.is("explain"), c.is("alone")
	o.Audit, o.Weigh = c.is("audit"), c.text("profile")
	if _, err := os.Stat(o.Weigh); err != nil && o.Weigh != "" && o.Weigh != "off" {
		return o, usagef("flag -profile: %w", err)
	}
	return o, nil
}

func readVariants(c *command, commands, args []string) (all []build.Spec, err error) {
	if len(commands) < 2 {
		return parseVariants(append(slices.Clone(args[:2]), c.texts("with")...)...)
	}
	if len(args) > 0 || c.isGiven("with") {
		return nil, usagef("-exec A -exec B compares two commands as they are: omit the variants")
	}
	if all, err = session.CommandVariants(commands); err != nil {
		return nil, usagef("flag -exec: %w", err)
	}
	return all, nil
}

// parseVariants is [build.ParseAll], but its errors are usage errors.
func parseVariants(texts ...string) ([]build.Spec, error) {
	specs, err := build.ParseAll(texts...)
	return specs, asUsage(err)
}

func comparisonExit(s streams, c result.Comparison, interrupted, gate bool) error {
	failed := func(b result.BenchmarkComparison) bool {
		return b.Verdict == result.Failed && !(gate && b.Reason == result.ReasonEverywhere)
	}
	// A package that does not build or list its benchmarks has no rows to fail.
	lost := func(f finding.Finding) bool { return catalog.NotBuilt.Is(f) || catalog.NotRun.Is(f) }
	if interrupted || slices.ContainsFunc(c.Benchmarks, failed) || slices.ContainsFunc(c.Findings, lost) {
		return &exitError{code: exitFailed}
	}
	if c.AllNew() {
		return nil
	}
	if !c.Measured() && !(gate && c.Summary.NotReached > 0) {
		return &exitError{code: exitFailed}
	}
	if !gate {
		return nil
	}
	return gateExit(s, &c)
}

// compareFiles runs tare stat on result files, with the flags that both verbs
// have.
func compareFiles(s streams, c *command, files []string) error {
	for _, name := range c.given() {
		switch name {
		case "delta", "alpha", "format", "o", "json", "gate":
		default:
			return usagef("flag -%s is for measuring, and %s is a file of results: tare stat -help lists the flags for files", name, files[0])
		}
	}
	o, err := readFileFlags(c)
	if err != nil {
		return err
	}
	o.onePair = true
	return statFiles(s, files, o)
}
