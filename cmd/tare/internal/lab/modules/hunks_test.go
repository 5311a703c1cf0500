//go:build lab

package modules

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// planted are functions of real modules that get a loop of so many turns: 10 to
// 60% of the benchmark.
var planted = []struct {
	path, version, bench, function string
	turns                          int
}{
	{"github.com/gammazero/deque", "v1.0.0", "PushBack$", "PushBack", 20},
	{"github.com/gammazero/deque", "v1.0.0", "Serial$", "PopFront", 20},
	{"github.com/google/btree", "v1.1.3", "Get$", "Get", 300},
	{"github.com/google/btree", "v1.1.3", "Insert$", "find", 40},
	{"github.com/google/uuid", "v1.6.0", "UUID_MarshalJSON", "encodeHex", 60},
	{"github.com/google/uuid", "v1.6.0", "ParseBytes$", "xtob", 4},
	{"github.com/valyala/fasttemplate", "v1.2.2", "FastTemplateExecuteFunc$", "ExecuteFunc", 200},
	{"github.com/valyala/fasttemplate", "v1.2.2", "NewTemplate", "Reset", 100},
	{"github.com/valyala/fastjson", "v1.6.10", "Parse/small/fastjson$", "skipWS", 4},
	{"github.com/shopspring/decimal", "v1.6.0", "NewFromString$", "NewFromString", 60},
}

// TestBusyHunks searches the hunk that makes a benchmark slower among hunks of
// the same kind in other functions, most of which the benchmark runs too or not at
// all: branches that are never taken.
func TestBusyHunks(t *testing.T) {
	tare, env := buildTare(t)
	right, wrong := 0, 0
	var seconds []float64
	for i := range 2 * len(planted) { // each twice, among other hunks
		p := planted[i%len(planted)]
		t.Run(fmt.Sprintf("%s/%d", p.function, i/len(planted)), func(t *testing.T) {
			checkout := t.TempDir()
			commitAll(t, checkout, author, p.path, p.version)
			hunks := plant(t, checkout, p.function, p.turns, rand.New(rand.NewPCG(uint64(i), 1)))
			keepBusy(t)
			began := time.Now()
			cmd := exec.Command(tare, "bisect", "-of", "hunks", "-bench", p.bench, "HEAD", ".")
			cmd.Dir, cmd.Env = checkout, append(os.Environ(), env...)
			out, err := cmd.Output()
			took := time.Since(began).Seconds()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if err != nil && len(out) == 0 {
				out = exit.Stderr
			}
			text, _, _ := strings.Cut(string(out), "left out:")
			named := err == nil && !strings.Contains(text, "one of these") && !strings.Contains(text, "no change")
			found := named && strings.Contains(text, "hunkSum +=")
			switch {
			case found:
				right++
			case named:
				wrong++
			}
			seconds = append(seconds, took)
			t.Logf("%d hunks, %.0f s, right: %v, exit %v, load %s\n%s", hunks, took, found, err, load(), out)
		})
	}
	slices.Sort(seconds)
	t.Logf("right %d, wrong %d of %d, median %.0f s, longest %.0f s, beside %d processes", right, wrong, len(seconds), seconds[len(seconds)/2], seconds[len(seconds)-1], *busyProcesses)
}

// plant writes a loop into a function, and branches that are never taken into up
// to 29 others of the package at the root. It returns the number of hunks.
func plant(t *testing.T, checkout, function string, turns int, random *rand.Rand) int {
	t.Helper()
	type place struct {
		file   string
		offset int
		hot    bool
	}
	var places []place
	files, _ := filepath.Glob(filepath.Join(checkout, "*.go"))
	name := ""
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprint(tree.Name), "main") {
			continue
		}
		name = tree.Name.Name
		last := -100
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || set.Position(f.Body.Lbrace).Line == set.Position(f.Body.Rbrace).Line {
				continue
			}
			// Hunks have three lines around them.
			at := set.Position(f.Body.Lbrace)
			hot := f.Name.Name == function
			if hot {
				places = slices.DeleteFunc(places, func(p place) bool {
					return p.file == file && last >= at.Line-8 && p.offset >= set.File(f.Pos()).Offset(set.File(f.Pos()).LineStart(last))
				})
			} else if last >= at.Line-8 {
				continue
			}
			places, last = append(places, place{file, at.Offset + 1, hot}), at.Line
		}
	}
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	slices.SortStableFunc(places, func(a, b place) int {
		switch {
		case a.hot == b.hot:
			return 0
		case a.hot:
			return -1
		}
		return 1
	})
	if len(places) == 0 || !places[0].hot {
		t.Fatalf("no function %s", function)
	}
	places = places[:min(len(places), 5+random.IntN(26))]
	slices.SortFunc(places, func(a, b place) int { return b.offset - a.offset })
	once := true
	for i, p := range places {
		text, err := os.ReadFile(p.file)
		if err != nil {
			t.Fatal(err)
		}
		insert := fmt.Sprintf("\n\tif hunkNever == %d {\n\t\tprintln(%[1]d)\n\t}", i+1)
		if p.hot && once {
			once, insert = false, fmt.Sprintf("\n\tfor i := 0; i < %d; i++ {\n\t\thunkSum += i\n\t}", turns)
		}
		if err := os.WriteFile(p.file, slices.Concat(text[:p.offset], []byte(insert), text[p.offset:]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Declared in both, so that every subset of the hunks builds.
	if err := os.WriteFile(filepath.Join(checkout, "hunk_never.go"), []byte("package "+name+"\n\nvar hunkNever, hunkSum int\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, checkout, author, "git", "add", "hunk_never.go")
	command(t, checkout, author, "git", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "declare", "hunk_never.go")
	return len(places)
}
