package main

import "fmt"

// row is a claim, its target, and the command that measures it. The figure is what
// the groups of a regular expression match in the output.
type row struct {
	table, claim, target string
	command              []string
	figure               string
}

const internal = "./cmd/tare/internal/"

func test(pkg, run string, args ...string) []string {
	command := []string{"go", "test", "-count=1", "-tags", "lab", internal + pkg, "-run", run, "-v", "-timeout", "6h"}
	if len(args) > 0 {
		command = append(append(command, "-args"), args...)
	}
	return command
}

func goRun(args ...string) []string { return append([]string{"go", "run"}, args...) }

const truthFigure = `(\d+ pairs: \d+ decided, \d+ wrong signs, \d+ "same" beyond 2δ, \d+ of \d+ intervals contain the truth)`

// blindspot asks about functions of a module that is downloaded.
const blindspot = `d=$(mktemp -d) && trap 'rm -rf $d' EXIT && go build -o $d/tare ./cmd/tare &&
cp -r "$(cd $d && go mod download -json github.com/gorilla/mux@v1.8.1 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')" $d/mux && chmod -R u+w $d/mux && git -C $d/mux init -q &&
go run ` + internal + `lab/blindspot -tare $d/tare -dir $d/mux -bench 'Mux$' -n 6 .`

// rows are the figures of docs/validation.md that one command measures.
func rows() []row {
	all := []row{
		{"Error rates", "runs of the self-test without a change that have a false verdict; intervals that miss the truth", "≤ 5%", goRun("./cmd/tare", "selftest", "-total", "14m"), `false verdicts in (\d+ of \d+) runs?|(\d+ of \d+) intervals? do not contain the truth`},
		{"Error rates", "causes of seeded pairs: the first is right", "", test("explain", "TestExplainSeeds", "-budget", "10s"), `right: (\d+ of \d+)`},
		{"Error rates", "slowdowns of one function: said to be seen or not, and called so", "≥ 95% right", []string{"sh", "-c", blindspot}, `(map\[.*?\])`},
		{"Long runs", "own pairs", "≥ 75% decided; 0; 0; ≥ 93%", goRun(internal+"lab/truth", "-runs", "10"), truthFigure},
		{"Long runs", "pairs of strangers", "the same", goRun(internal+"lab/truth", "-runs", "10", "-pairs", "cmd/tare/internal/lab/pairs/testdata/strangers"), truthFigure},
		{"Time and precision", "first verdict of a package with one function, warm caches", "2.5 s", test("lab/modules", "TestFirstVerdict"), `first verdict: (median [\d.]+ s)`},
		{"Time and precision", "weights of functions of three programs, against go tool pprof -top -cum", "1%", test("production", "TestTop"), `: (\d+ functions, at most [\d.]+% apart)`},
		{"Commits", "bisections of 32 commits, a step of 4%: named", "9 of 10 in 3 min each", test("lab/modules", "TestBusyBisect", "-busy", "0", "-busy-runs", "10"), `named (\d+ of \d+, median [\d.]+ s, longest [\d.]+ s)`},
		{"Commits", "planted hunks among 5 to 30", "≥ 18 of 20, median ≤ 60 s", test("lab/modules", "TestBusyHunks", "-busy", "0"), `(right \d+, wrong \d+ of \d+, median \d+ s)`},
		{"Edits", "a session of ten edits", "no false keep, ≥ 8 of 10 gains", test("lab/tries", "TestSession", "-attempts", "10", "-faster", "2"), `(\d+ kept, \d+ of them without a true gain; \d+ of \d+ edits of 2% or more kept; median [\d.]+ s)`},
	}
	for _, n := range []int{0, 4, 16, 64} {
		beside := fmt.Sprintf("beside %d processes", n)
		if n == 0 {
			beside = "at rest"
		}
		load := func(claim, target, run, figure string) row {
			return row{"Load", claim + ", " + beside, target, test("lab/modules", run+"$", "-busy", fmt.Sprint(n)), figure}
		}
		all = append(all,
			load("160 benchmarks without a change", "≥ 85% same", "TestBusyEqual", `(map\[.*?\], \d+ intervals miss 0, median half-width [\d.]+%)`),
			load("12 operations of 1 and of 100 ms, 3% slower", "≥ 20 of 24 found", "TestBusyLong", `\+3% of 1 and 100 ms: (.*?), beside`),
			load("40 changes between ×0.002 and ×5", "≥ 93% contain the CPU time", "TestBusyLarge", `×0.002 to ×5: (.*?), beside`),
			load("levels of 25 benchmarks", "within 3% or marked", "TestBusyLevels", `levels: (.*?), beside`))
	}
	for _, s := range []struct{ size, target string }{{"0/2%", "≥ 22"}, {"4/2%", "≥ 20"}, {"4/5%", "≥ 23"}, {"16/5%", "≥ 22"}, {"16/10%", "24"}, {"16/50%", "24"}, {"64/10%", "≥ 20"}} {
		all = append(all, row{"Load", "24 benchmarks slower, processes beside and size: " + s.size, s.target,
			test("selftest", "TestBusy/"+s.size), `tare: (found \d+ of 24, wrong sign \d+, median [\d.]+ s)`})
	}
	return all
}
