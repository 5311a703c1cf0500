package worker

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// The kernel puts the arguments and the environment of a process at the top of
// its first stack. Their length moves all data below. This alone makes the
// same code faster or slower by some percent (Mytkowicz et al., "Producing
// wrong data without doing anything obviously wrong!", ASPLOS 2009). Paths and
// variables of two variants differ in length, and the difference would be the
// same in every block.

// padName is the variable that fills up an environment. The worker hides all
// variables whose names begin with it.
const padName = "TARE_WORKER_PAD"

// evenly returns variables for each of configs. They make all arguments and
// environments equally long, plus that many bytes.
func evenly(configs []Config, shift int) [][]string {
	bytes, entries := make([]int, len(configs)), make([]int, len(configs))
	for i, c := range configs {
		bytes[i], entries[i] = c.stack()
	}
	most, long := slices.Max(entries), slices.Max(bytes)
	out := make([][]string, len(configs))
	// Every entry also has a pointer, so first equalize the entries, then the bytes.
	for i := range configs {
		for k := range most - entries[i] {
			entry := padName + strconv.Itoa(k) + "="
			out[i] = append(out[i], entry)
			bytes[i] += len(entry) + 1
		}
		long = max(long, bytes[i])
	}
	for i := range configs {
		out[i] = append(out[i], padName+"="+strings.Repeat("x", long-bytes[i]+shift))
	}
	return out
}

func (c Config) stack() (bytes, entries int) {
	cmd := exec.Cmd{Env: c.environment(), Dir: c.Dir}
	all := slices.Concat([]string{c.Path, c.Path}, c.arguments(), cmd.Environ()) // the path is the file and the first argument
	for _, s := range all {
		bytes += len(s) + 1
	}
	return bytes, len(all)
}

func (c Config) arguments() []string {
	args := []string{"-test.run=^$", "-test.bench=" + c.Bench, "-test.count=1", "-test.timeout=0", "-test.benchtime=1s"}
	if c.Skip != "" {
		args = append(args, "-test.skip="+c.Skip)
	}
	if c.Procs > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(c.Procs))
	}
	return append(args, c.Plan.Args...)
}

func (c Config) environment() []string {
	env := slices.Clone(c.Env)
	if c.Procs > 0 {
		// The benchmark's first iteration, and all of a b.Loop, run before
		// -test.cpu takes effect.
		env = append(env, "GOMAXPROCS="+strconv.Itoa(c.Procs))
	}
	return env
}
