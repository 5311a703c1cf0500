package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// definitions are the flags of all verbs. A name has one meaning, so it has one
// text; verbs differ in their defaults.
func definitions() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bench", Value: ".", Usage: "the benchmarks that match `REGEXP`, as in go test"},
		&cli.StringFlag{Name: "budget", Usage: "most measuring `TIME` for one benchmark; it stops as soon as it knows"},
		&cli.DurationFlag{Name: "total", HideDefault: true, Usage: "`TIME` for the whole run, builds included (5m), spent where it is needed; names what it does not reach"},
		&cli.StringFlag{Name: "delta", Value: "2%", Usage: "changes smaller than this are the same"},
		&cli.StringFlag{Name: "alpha", Value: "0.05", Usage: "error `RATE` of the verdicts of the run"},
		gateFlag(),
		&cli.StringFlag{Name: "o", Usage: "write to `FILE`, not to standard output"},
		&cli.BoolFlag{Name: "v", Usage: "report each step on standard error, and p and blocks in the text"},

		// What to measure.
		&cli.StringFlag{Name: "variant", Usage: "measure this `VARIANT`: see tare compare -help"},
		&cli.StringSliceFlag{Name: "with", Usage: "compare one more `VARIANT` with OLD; may be repeated"},
		&cli.StringFlag{Name: "cpu", Usage: "measure with each GOMAXPROCS of `LIST` (1,2,4)"},
		&cli.StringFlag{Name: "tags", Usage: "build tags, separated by commas"},
		&cli.BoolFlag{Name: "measure-all", Usage: "measure also benchmarks whose machine code is the same in all variants"},
		&cli.StringFlag{Name: "units", Value: "time", Usage: "measure and judge these `UNITS`: time (and allocations), counts (allocations alone: seconds on any machine), memory (live heap, heap goal, peak RSS, stacks, collector), tail (percentiles of a b.Loop), instructions (under valgrind: the same on a busy machine), counters (of CPU and kernel, around every slice); bisect takes one, such as allocs/op"},
		&cli.BoolFlag{Name: "once", Usage: "run each benchmark once, in a process of its own: which fail, panic, exit or hang?"},

		// How to measure.
		&cli.IntFlag{Name: "blocks", Usage: "measure `N` blocks at most"},
		&cli.StringFlag{Name: "benchtime", Usage: "measuring time of one block and variant (a duration), or the iterations of a slice (100x); chosen by default"},
		&cli.Uint64Flag{Name: "seed", HideDefault: true, Usage: "random seed (default: random; recorded with the results)"},
		&cli.BoolFlag{Name: "layouts", Value: true, Usage: "link every block in another function order; with -layouts=false, the effect of the default order is part of the verdict"},
		&cli.BoolFlag{Name: "alone", Usage: "run one side at a time, for sides that share a port, a file or a server"},
		&cli.DurationFlag{Name: "timeout", Value: 10 * time.Minute, Usage: "give up on a slice or a setup that takes longer"},
		&cli.StringFlag{Name: "lock", Value: "wait", Usage: "while another process measures on this machine: wait, fail or off"},
		&cli.StringSliceFlag{Name: "on", Usage: "measure on another machine, through `LAUNCHER`, a command that runs one there ('ssh bench1', 'srun -N1 --exclusive'); may be repeated"},
		&cli.StringFlag{Name: "shard", Usage: "measure part `N/OF` of the comparison, such as 3/8; tare show merges the parts"},

		// What was measured before, and what comes after.
		&cli.StringFlag{Name: "resume", Usage: "go on with what is kept in `FOLDER`: its variants, flags and seed"},
		&cli.IntFlag{Name: "keep", Value: session.KeptStudies, Usage: "keep `N` studies in .tare, of at most 1 GB; older ones are removed (show -keep N removes them, and stops)"},
		&cli.BoolFlag{Name: "trust", HideDefault: true, Usage: "build and run variants, and write files, as a recording of someone else asks"},
		&cli.BoolFlag{Name: "explain", Usage: "look for causes of what became faster or slower, with profiles and the compilers' reasons"},
		&cli.BoolFlag{Name: "audit", Usage: "look for work that was moved instead of saved: into other tests, init, goroutines, the first call, memory"},
		&cli.BoolFlag{Name: "prove", Usage: "confirm what is found: explain measures again without each cause, lint reads the machine code of the loops in doubt"},
		&cli.GenericFlag{Name: "record", Value: new(optional), HideDefault: true, Usage: "add what is compared to the history; -record=`FOLDER` for one that is not in git"},
		&cli.StringFlag{Name: "store", Value: "git", Usage: "where the history is: git (refs/tare/history of this repository), or a folder"},
		&cli.StringSliceFlag{Name: "against", Usage: "compare with `THIS`: a commit of the history, or in files the first column or the previous one"},

		// Verbs of their own.
		&cli.StringFlag{Name: "of", Value: "commits", Usage: "what to search: commits, files, go or mod=`PATH`"},
		&cli.StringFlag{Name: "want", Value: "0.5%", Usage: "keep needs a gain above this"},
		&cli.StringFlag{Name: "best", Usage: "begin with the tree of `REV`, not of HEAD"},
		&cli.BoolFlag{Name: "test", Usage: "the tests of the packages must pass first"},
		&cli.BoolFlag{Name: "log", Usage: "print the attempts of the session"},
		&cli.BoolFlag{Name: "check", Usage: "compare the best tree with the first one in new blocks"},
		&cli.BoolFlag{Name: "end", Usage: "check, print the attempts and close the session"},
		&cli.StringFlag{Name: "holdout", Usage: "`SHARE` of the benchmark functions (30%) that are measured by -check and -end alone"},
		&cli.StringFlag{Name: "filter", Usage: "use only the benchmarks that match `QUERY`"},
		&cli.StringFlag{Name: "table", Usage: "split into tables by `KEYS` (default .config, less what distinguishes the files only)"},
		&cli.StringFlag{Name: "row", Usage: "split into rows by `KEYS` (default .fullname)"},
		&cli.StringFlag{Name: "col", Usage: "compare across `KEYS` (default .file)"},
		&cli.StringFlag{Name: "ignore", Usage: "leave `KEYS` out of the grouping"},
		&cli.StringFlag{Name: "checks", Value: "all", Usage: "checks to run: all, or ids separated by commas; -ID leaves one out; list prints them, list,ID the documentation of one"},
		&cli.BoolFlag{Name: "strict", Usage: "exit with 3 when there is a warning or worse"},
		&cli.IntFlag{Name: "busy", HideDefault: true, Usage: "keep `N` processes that never sleep running meanwhile"},

		// Flags of go test, accepted and not listed.
		&cli.StringFlag{Name: "skip", Hidden: true, Usage: "leave out benchmarks that match `REGEXP`"},
		&cli.IntFlag{Name: "count", Hidden: true, Usage: "the same as -blocks"},
		&cli.BoolFlag{Name: "benchmem", Hidden: true, Usage: "allocations are always counted"},
		&cli.StringFlag{Name: "run", Hidden: true, Usage: "tests are never run"},
		&cli.StringFlag{Name: "cpuprofile", Hidden: true},
		&cli.StringFlag{Name: "memprofile", Hidden: true},
		&cli.StringFlag{Name: "blockprofile", Hidden: true},
		&cli.StringFlag{Name: "mutexprofile", Hidden: true},
		&cli.StringFlag{Name: "trace", Hidden: true},
	}
}

// goTest are the flags of go test that verbs which measure accept beside those
// that they list.
const goTest = " skip count benchmem run cpuprofile memprofile blockprofile mutexprofile trace"

// flags picks flags in the order of the help, which shows the first ten: "name",
// or "name=default". Own are those that only this verb has, such as its formats.
func flags(names string, own ...cli.Flag) (all []cli.Flag) {
	known := make(map[string]cli.Flag)
	for _, f := range append(definitions(), own...) {
		known[f.Names()[0]] = f
	}
	for word := range strings.FieldsSeq(names) {
		name, value, given := strings.Cut(word, "=")
		f := known[name]
		if f == nil {
			panic(fmt.Sprintf("flag -%s has no definition", name))
		}
		if given {
			setDefault(f, value)
		}
		all = append(all, f)
	}
	return all
}

func setDefault(f cli.Flag, value string) {
	switch f := f.(type) {
	case *cli.StringFlag:
		f.Value = value
	case *cli.IntFlag:
		f.Value, _ = strconv.Atoi(value)
	default:
		panic(fmt.Sprintf("flag -%s has no default", f.Names()[0]))
	}
}

// optional is the value of a flag that needs none: "true", or what follows "=".
type optional struct{ value string }

// IsBoolFlag says that the next argument is not the value.
func (o *optional) IsBoolFlag() bool { return true }

func (o *optional) Get() any { return o.value }

func (o *optional) String() string { return "" }

func (o *optional) Set(text string) error {
	o.value = text
	if text == "false" {
		o.value = ""
	}
	return nil
}
