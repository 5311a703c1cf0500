package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// definitions are the flags of all verbs. A name has one meaning and one text.
// Defaults differ between verbs.
func definitions() []*option {
	return []*option{
		{name: "bench", value: ".", text: "the benchmarks that match `REGEXP`, as in go test"},
		{name: "budget", value: "", text: "measuring `TIME` for one benchmark, which stops at its verdict; at most twice this if other programs keep it waiting"},
		{name: "total", value: time.Duration(0), hideDefault: true, text: "`TIME` for the whole run, builds included (5m). The report names benchmarks that it does not reach"},
		{name: "delta", value: "2%", text: "changes smaller than this are the same"},
		{name: "alpha", value: "0.05", text: "error `RATE` of the verdicts of the run"},
		gateFlag(),
		{name: "o", value: "", text: "write to `FILE`, not to standard output"},
		{name: "q", value: false, text: "the tables and the number of verdicts alone"},
		{name: "sort", value: "source", text: "order of the rows: source, or change, the greatest first"},
		{name: "v", value: false, text: "report each step on standard error, and p and blocks in the text"},

		// Benchmarks, variants and units.
		{name: "variant", value: "", text: "measure this `VARIANT`: see tare compare -help"},
		{name: "with", value: []string(nil), text: "compare one more `VARIANT` with OLD. May be repeated"},
		{name: "exec", value: []string(nil), text: "time whole programs: `COMMAND` runs $BIN, the main package of each variant. -exec A -exec B compares two commands. Quotes work, and no shell runs"},
		{name: "cpu", value: "", text: "measure with each GOMAXPROCS of `LIST` (1,2,4)"},
		{name: "tags", value: "", text: "build tags, separated by commas"},
		{name: "measure-all", value: false, text: "measure also benchmarks whose machine code is the same in all variants"},
		{name: "units", value: "time", text: "measure and judge these `UNITS`: time (and allocations), counts (allocations alone: seconds on any machine), memory (live heap, heap goal, peak RSS, stacks, collector), tail (percentiles of a b.Loop), instructions (under valgrind: the same on a busy machine). bisect takes one, such as allocs/op"},

		// How to measure.
		{name: "blocks", value: 0, text: "measure `N` blocks at most"},
		{name: "benchtime", value: "", text: "measuring time of one block and variant (a duration), or the iterations of a slice (100x). Chosen by default"},
		{name: "seed", value: uint64(0), hideDefault: true, text: "random seed (default: random), recorded with the results"},
		{name: "layouts", value: true, text: "link every block in another function order. With -layouts=false, the effect of the default order is part of the verdict"},
		{name: "alone", value: false, text: "run one variant at a time, for variants that share a port, a file or a server"},
		{name: "lock", value: "wait", text: "while another process measures on this machine: wait, fail or off"},
		{name: "on", value: []string(nil), text: "measure on another machine, through `LAUNCHER`, a command that runs one there ('ssh bench1', 'srun -N1 --exclusive'). May be repeated"},
		{name: "shard", value: "", text: "measure part `N/OF` of the comparison, such as 3/8. tare show merges the parts"},

		// Before and after measuring.
		{name: "resume", value: "", text: "continue the study in `FOLDER`: type it after the command line that began the study"},
		{name: "keep", value: session.KeptStudies, text: "keep `N` studies in .tare, of at most 1 GB, and remove older ones (show -keep N only removes)"},
		{name: "explain", value: false, text: "look for causes of what became faster or slower, with profiles and the compilers' reasons"},
		{name: "profile", value: "", text: "weigh functions by `FILE`, a CPU profile (pprof) of production (default: default.pgo beside a main package). off: no profiles of benchmarks, which take up to 20% of the time"},
		{name: "audit", value: false, text: "look for work that was moved instead of saved: into other tests, init, goroutines, the first call, memory"},
		{name: "record", value: false, text: "add the comparison to the history, refs/tare/history of this repository"},
		{name: "against", value: []string(nil), text: "compare with `THIS`: a commit of the history, or first or previous (column of files)"},

		// Flags of single verbs.
		{name: "of", value: "commits", text: "what to search: commits, hunks, go or mod=`PATH`"},
		{name: "want", value: "0.5%", text: "keep needs a gain above this"},
		{name: "best", value: "", text: "begin with the tree of `REV`, not of HEAD"},
		{name: "test", value: false, text: "the tests of the packages must pass first"},
		{name: "log", value: false, text: "print the attempts of the session"},
		{name: "check", value: false, text: "compare the best tree with the first one in new blocks"},
		{name: "end", value: false, text: "check, print the attempts and close the session"},
		{name: "holdout", value: "", text: "`SHARE` of the benchmark functions (30%) that only -check and -end measure"},
		{name: "filter", value: "", text: "use only benchmarks that match `QUERY`"},
		{name: "table", value: "", text: "split into tables by `KEYS` (default .config, without keys that only distinguish the files)"},
		{name: "row", value: "", text: "split into rows by `KEYS` (default .fullname)"},
		{name: "col", value: "", text: "compare across `KEYS` (default .file)"},
		{name: "ignore", value: "", text: "omit `KEYS` from the grouping"},
		{name: "checks", value: "all", text: "checks to run: all, or ids separated by commas (-ID omits one). list prints them, list,ID the documentation of one"},
		{name: "strict", value: false, text: "exit with 3 if there is a warning or worse"},
		{name: "watch", value: false, text: "compare again after each save, one line each, until Ctrl-C"},
		{name: "split", value: false, text: "measure the change of the code and of the tests separately, each with its interval"},

		// Flags of go test, accepted and not listed.
		{name: "timeout", value: 10 * time.Minute, hidden: true, text: "give up on a slice or a setup that takes longer"},
		{name: "skip", value: "", hidden: true, text: "omit benchmarks that match `REGEXP`"},
		{name: "count", value: 0, hidden: true, text: "the same as -blocks"},
		{name: "benchmem", value: false, hidden: true, text: "allocations are always counted"},
		{name: "run", value: "", hidden: true, text: "tests are never run"},
		{name: "cpuprofile", value: "", hidden: true},
		{name: "memprofile", value: "", hidden: true},
		{name: "blockprofile", value: "", hidden: true},
		{name: "mutexprofile", value: "", hidden: true},
		{name: "trace", value: "", hidden: true},
	}
}

// goTest are flags of go test that measuring verbs accept and their help omits.
const goTest = " timeout skip count benchmem run cpuprofile memprofile blockprofile mutexprofile trace"

// flags picks flags in the order of the help, which shows the first ten:
// "name", or "name=default". Own has the flags that only this verb has, such as
// its formats.
func flags(names string, own ...*option) (all []*option) {
	known := make(map[string]*option)
	for _, f := range append(definitions(), own...) {
		known[f.name] = f
	}
	for word := range strings.FieldsSeq(names) {
		name, value, given := strings.Cut(word, "=")
		f := known[name]
		if f == nil {
			panic(fmt.Sprintf("flag -%s has no definition", name))
		}
		if given {
			f.setDefault(value)
		}
		all = append(all, f)
	}
	return all
}

func (o *option) setDefault(value string) {
	switch o.value.(type) {
	case string:
		o.value = value
	case int:
		o.value, _ = strconv.Atoi(value)
	default:
		panic(fmt.Sprintf("flag -%s has no default", o.name))
	}
}
