// Blindspot asks whether the slowdowns that a comparison says it would have seen
// are seen, and no others. It plants a call of a spin into functions of a module,
// reads what a comparison states about each, then lets one function at a time
// become slower by 10, 50 and 200%, and by half of what is hardly ever seen, and
// compares. Functions of which nothing is stated are left out.
//
//	go run ./cmd/tare/internal/lab/blindspot -tare tare -dir MODULE -bench Decode -n 20 ./pkg
//
// The time of a function is its share of a profile of seconds, not the one of the
// statement. The length of a spin is found from the slowdown that a known one makes.
//
// With -unreached it asks instead whether the functions that no benchmark leads to
// are covered by benchmarks, as go test -cover says.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/production"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

var (
	tare   = flag.String("tare", "tare", "the tare to ask")
	dir    = flag.String("dir", ".", "a copy of a module, which is a git repository and is changed")
	bench  = flag.String("bench", ".", "the benchmark that matches, or with -unreached all that match")
	most   = flag.Int("n", 20, "number of functions")
	blocks = flag.String("blocks", "8", "blocks of each comparison")
	reach  = flag.Bool("unreached", false, "ask coverage about the functions that no benchmark leads to")
)

// spin is the package that the plants call.
const spin = "package planted\n\n//go:noinline\nfunc Spin(n int) {\n\tfor i := 0; i < n; i++ {\n\t}\n}\n"

// function is a function of the source, and the place after its opening brace.
type function struct {
	name, file string
	at         int
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func run(pkg string) error {
	path, err := goCommand("list", "-f", "{{.ImportPath}} {{.Module.Path}} {{.Dir}}", pkg)
	if err != nil {
		return err
	}
	words := strings.Fields(path)
	all, err := functions(words[0], words[2])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(*dir, "planted"), 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(*dir, "planted", "spin.go"), []byte(spin), 0o666); err != nil {
		return err
	}
	plant := func(lengths map[string]int) error { return plantAll(all, words[1]+"/planted", lengths) }
	if err := commit("none"); err != nil {
		return err
	}
	if err := plant(nil); err != nil { // spins of length 0 change every function
		return err
	}
	if err := commit("base"); err != nil {
		return err
	}
	stated, err := compare("HEAD~1", "HEAD", *blocks, pkg)
	if err != nil {
		return err
	}
	if len(stated.Blind) == 0 {
		return errors.New("the comparison states nothing")
	}
	if *reach {
		return unreached(stated.Blind[0].Functions, words[1], pkg)
	}
	if len(stated.Benchmarks) != 1 {
		return fmt.Errorf("%d benchmarks match: want one", len(stated.Benchmarks))
	}
	profile := filepath.Join(*dir, "profile.pb.gz")
	if _, err := goCommand("test", "-run", "^$", "-bench", *bench, "-benchtime", "3s", "-cpuprofile", "profile.pb.gz", "-o", filepath.Join(*dir, "x.test"), pkg); err != nil {
		return err
	}
	long, err := production.Read(profile)
	if err != nil {
		return err
	}
	tally := make(map[string]int)
	shares := make(map[string]float64)
	seen := slices.DeleteFunc(stated.Blind[0].Functions, func(f result.Seen) bool {
		shares[f.Name] = long.Weigh(func(name string) bool { return name == f.Name })[f.Name].Total
		return shares[f.Name] == 0 || f.Smallest == nil || !slices.ContainsFunc(all, func(g function) bool { return g.name == f.Name })
	})
	for i := range min(*most, len(seen)) { // from often to seldom
		f := seen[i*len(seen)/min(*most, len(seen))]
		perSpin, err := cost(plant, f.Name, pkg)
		if err != nil {
			return err
		}
		if perSpin == 0 {
			continue // not called
		}
		from, share := *f.Smallest, f.Benchmarks[0].Share
		for _, size := range []float64{from.Lo / 2, 0.1, 0.5, 2} {
			length := int(math.Round(size * shares[f.Name] / perSpin))
			if length == 0 {
				continue
			}
			got, err := slowdown(plant, f.Name, length, *blocks, pkg)
			if err != nil {
				return err
			}
			says := "perhaps"
			switch {
			case size >= from.Hi:
				says = "seen"
			case size < from.Lo:
				says = "not"
			}
			word := "right"
			if says == "seen" && !got.called || says == "not" && got.called {
				word = "wrong"
			}
			tally[says+", "+word]++
			fmt.Printf("%-34s %6.2f%% (said %5.1f … %5.1f%%)  from %6.1f … %6.1f%%  +%5.1f%%: %+7.2f%% (%+.2f … %+.2f%%)  said %-7s called %-5v load %s %s%s\n",
				filepath.Base(f.Name), 100*shares[f.Name], 100*share.Lo, 100*share.Hi, 100*from.Lo, 100*from.Hi, 100*size,
				100*(got.ratio-1), 100*(got.Lo-1), 100*(got.Hi-1), says, got.called, load(), word, got.why)
		}
	}
	fmt.Println(tally)
	return nil
}

// cost is the part of the time of a benchmark that one turn of a spin in a function
// adds, found with a spin that makes it twice as slow or more. It is 0 if the
// function is not called.
func cost(plant func(map[string]int) error, name, pkg string) (float64, error) {
	for known := 1000.0; known < 1e8; {
		got, err := slowdown(plant, name, int(known), "1", pkg)
		switch more := got.ratio - 1; {
		case err != nil:
			return 0, err
		case more >= 1:
			return more / known, nil
		case more > 0.05:
			known *= 2 / more
		default:
			known *= 20
		}
	}
	return 0, nil
}

// load is the number of processes that ran or waited in the last minute.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// unreached prints the functions that benchmarks cover, although nothing but a
// test or the start of the program is said to run them, and counts all of these.
func unreached(all []result.Seen, module, pkg string) error {
	if _, err := goCommand("test", "-run", "^$", "-bench", *bench, "-benchtime", "1x", "-coverpkg", "./...", "-coverprofile", "cover.out", pkg); err != nil {
		return err
	}
	covered, err := goCommand("tool", "cover", "-func", "cover.out")
	if err != nil {
		return err
	}
	share := make(map[string]string) // by file and line
	for line := range strings.Lines(covered) {
		if f := strings.Fields(line); len(f) == 3 {
			share[strings.TrimSuffix(f[0], ":")] = f[2]
		}
	}
	said, known, wrong := 0, 0, 0
	for _, f := range all {
		if f.By == result.ByBenchmark && !f.Never {
			continue
		}
		said++
		part, ok := share[fmt.Sprintf("%s/%s:%d", module, f.File, f.Line)]
		if !ok {
			continue
		}
		known++
		if part != "0.0%" && (f.Never || f.By != result.ByStart) {
			wrong++
			fmt.Printf("%s (%s:%d, %s, never %v): %s covered\n", f.Name, f.File, f.Line, f.By, f.Never, part)
		}
	}
	fmt.Printf("%d functions, %d of them unreached, %d in the coverage, %d covered\n", len(all), said, known, wrong)
	return nil
}

// slowed is the greatest measured change, with its joint interval, and whether a row
// was called slower.
type slowed struct {
	ratio float64
	result.Interval
	called bool
	why    string // not, if the interval is above 1
}

// slowdown lets one function spin.
func slowdown(plant func(map[string]int) error, name string, length int, blocks, pkg string) (s slowed, err error) {
	if err := plant(map[string]int{name: length}); err != nil {
		return s, err
	}
	c, err := compare("HEAD", ".", blocks, pkg)
	if err != nil {
		return s, err
	}
	for _, b := range c.Benchmarks {
		for _, u := range b.Units {
			if u.Unit != "sec/op" {
				continue
			}
			if u.Change.Ratio > s.ratio {
				s.ratio = u.Change.Ratio
				if u.Joint != nil {
					s.Interval = *u.Joint
				}
			}
			s.called = s.called || u.Verdict == result.Slower
		}
	}
	if !s.called && s.Lo > 1 {
		for _, f := range c.Findings {
			s.why += " " + f.ID
		}
	}
	return s, nil
}

// comparison is the part of a comparison that is read.
type comparison struct {
	Blind      []result.Blind
	Findings   []finding.Finding
	Benchmarks []struct {
		Units []result.BenchmarkComparison
	}
}

func compare(old, new, blocks, pkg string) (c comparison, err error) {
	f, err := os.CreateTemp("", "blindspot")
	if err != nil {
		return c, err
	}
	out := f.Name()
	defer os.Remove(out)
	f.Close()
	cmd := exec.Command(*tare, "compare", "-bench", *bench, "-blocks", blocks, "-lock=off", "-format", "json", "-o", out, old, new, pkg)
	cmd.Dir, cmd.Env = *dir, append(os.Environ(), "GOWORK=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return c, fmt.Errorf("%w: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(data, &c)
}

func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = *dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %v: %w: %s", args, err, out)
	}
	return string(out), nil
}

func commit(message string) error {
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", message}} {
		if out, err := exec.Command("git", append([]string{"-C", *dir}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return nil
}

// functions lists the functions of a package that are not in tests, by their names
// in the source.
func functions(path, dir string) (all []function, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || f.Name.Name == "init" {
				continue
			}
			name := path + "." + f.Name.Name
			if f.Recv != nil {
				receiver := f.Recv.List[0].Type
				if of, pointer := receiver.(*ast.StarExpr); pointer {
					name = path + ".(*" + typeName(of.X) + ")." + f.Name.Name
				} else {
					name = path + "." + typeName(receiver) + "." + f.Name.Name
				}
			}
			all = append(all, function{name, file, set.Position(f.Body.Lbrace).Offset + 1})
		}
	}
	return all, nil
}

// typeName is the name of a receiver's type, without type parameters.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	}
	return ""
}

// plantAll writes a call of a spin into every function: of length 0, or its own.
func plantAll(all []function, imports string, lengths map[string]int) error {
	byFile := make(map[string][]function)
	for _, f := range all {
		byFile[f.file] = append(byFile[f.file], f)
	}
	for file, list := range byFile {
		kept := file + ".kept"
		text, err := os.ReadFile(kept)
		if errors.Is(err, os.ErrNotExist) {
			if text, err = os.ReadFile(file); err == nil {
				err = os.WriteFile(kept, text, 0o666)
			}
		}
		if err != nil {
			return err
		}
		slices.SortFunc(list, func(a, b function) int { return b.at - a.at })
		out := string(text)
		for _, f := range list {
			out = out[:f.at] + fmt.Sprintf(" planted.Spin(%d);", lengths[f.name]) + out[f.at:]
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, out, parser.PackageClauseOnly)
		if err != nil {
			return err
		}
		end := int(tree.Name.End()) - 1
		out = out[:end] + "; import \"" + imports + "\"" + out[end:]
		if err := os.WriteFile(file, []byte(out), 0o666); err != nil {
			return err
		}
	}
	return nil
}
