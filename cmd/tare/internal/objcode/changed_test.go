package objcode

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const changedModule = `
-- go.mod --
module example.com/m

go 1.25
-- a/a.go --
package a

import (
	"slices"
	"strings"

	"example.com/m/b"
)

var _ = slices.Max[[]int]

type Shape interface{ Area(n int) int }

type Square struct{}

func (Square) Area(n int) int { return b.Heavy(n) * n }

type Circle struct{}

func (Circle) Area(n int) int { return b.Heavy(n) * 3 }

func Sum(shapes []Shape, n int) (s int) {
	for _, x := range shapes {
		s += x.Area(n)
	}
	return s
}

func Unused(n int) int { return b.Heavy(n) + 1 }

func OnlyTested(n int) int {
	f := func(k int) int { return b.Heavy(k) + 2 }
	return f(n)
}

func small(n int) int { return n ^ n>>2 }

func Eleven(n int) int { return n * 11 }

func Inlines(n int) int { return small(n) + small(n+1) }

func Writes(b *strings.Builder) {
	b.WriteByte(';')
	b.WriteString("; ")
}

var table, Other = []int{1, 2, 3}, []int{4, 5, 6}

func each(n int) func() int { return func() int { return b.Heavy(n) ^ 5 } }

func Lists[T comparable](x, y T) func() int {
	return func() int {
		if x == y {
			return b.Heavy(14)
		}
		return 0
	}
}

type Name string

func Literals(n int) int {
	names := []Name{"b", "a"}
	return each(n)() + b.Call(each(n+1)) + b.Call(b.Later(n)) + b.Call(Lists(n, 7)) + len(names)
}
-- a/a_test.go --
package a

import "testing"

var sink int

func BenchmarkShapes(b *testing.B) {
	for b.Loop() {
		sink += Sum([]Shape{Square{}}, 100)
	}
}

func BenchmarkLiterals(b *testing.B) {
	for b.Loop() {
		sink += Literals(sink)
	}
}

func BenchmarkInlines(b *testing.B) {
	for b.Loop() {
		sink += Inlines(sink)
	}
}

func TestOnly(t *testing.T) { sink += OnlyTested(3) }
-- b/b.go --
package b

//go:noinline
func Heavy(n int) (s int) {
	for i := range n {
		s += i
	}
	return s
}

//go:noinline
func Call(f func() int) int { return f() }

func Later(n int) func() int { return func() int { return Heavy(n) + 23 } }
`

// TestChanged: which functions an edit changes.
func TestChanged(t *testing.T) {
	var reader Reader
	files := txtar.Parse([]byte(changedModule)).Files
	old := compile(t, &reader, unpack(t, files), "./a")
	for _, test := range []struct{ name, from, to, want string }{
		{"nothing", "package b\n", "package b\n\n// A comment.\n", ""},
		{"reached by all that call it", "s += i\n", "s += i * i\n", "b.Heavy"},
		{"through an interface", "b.Heavy(n) * n", "b.Heavy(n) * n * 5", "a.Square.Area"},
		{"a type that no benchmark makes", "b.Heavy(n) * 3", "b.Heavy(n) * 7", "a.Circle.Area"},
		{"unused", "b.Heavy(n) + 1", "b.Heavy(n) + 9", "a.Unused"},
		{"only a test, in a closure", "b.Heavy(k) + 2", "b.Heavy(k) + 8", "a.OnlyTested"},
		{"inlined", "n ^ n>>2", "n ^ n>>5", "a.small"},
		{"a scale", "n * 11", "n * 13", "a.Eleven"},
		{"a literal in inlined code", "b.Heavy(n) ^ 5", "b.Heavy(n) ^ 6", "a.each"},
		{"the same of another package", "Heavy(n) + 23", "Heavy(n) + 29", "b.Later"},
		{"the same of a generic function", "b.Heavy(14)", "b.Heavy(15)", "a.Lists[go.shape.int]"},
		{"the literals of inlined code are others", "b.Call(b.Later(n))", "b.Call(b.Later(n)) * b.Call(b.Later(n))", "a.Literals"},
		{"an instance of the standard library is new", "+ len(names)\n", "+ slices.Index(names, \"a\")\n", "a.Literals"},
		{"another constant for inlined code", "small(n+1)", "small(n+2)", "a.Inlines"},
		{"another function inlined", "b.WriteByte(';')", "b.WriteString(\";\")", "a.Writes"},
		{"another text for inlined code", `"; "`, `", "`, "a.Writes"},
		{"a longer one", `"; "`, `";  "`, "a.Writes"},
		{"a temporary value before others", "var table, Other", "var First = []int{7, 8}\n\nvar table, Other", ""},
		{"in a test file", "100)", "200)", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			edited := slices.Clone(files)
			n := 0
			for i, f := range edited {
				text := strings.Replace(string(f.Data), test.from, test.to, 1)
				n += strings.Count(string(f.Data), test.from)
				edited[i].Data = []byte(text)
			}
			if n != 1 {
				t.Fatalf("%q is in the module %d times", test.from, n)
			}
			c := Compare(old, compile(t, &reader, unpack(t, edited), "./a"))
			var got []string
			for _, f := range c.Changed(Builtins(goroot(t))) {
				if f.Line == 0 {
					t.Errorf("%s has no line", f.Name)
				}
				got = append(got, strings.TrimPrefix(f.Name, "example.com/m/"))
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("changed: %s\nwant:    %s", text, test.want)
			}
		})
	}
}

// TestReaches: what leads to changed functions.
func TestReaches(t *testing.T) {
	var reader Reader
	files := txtar.Parse([]byte(changedModule)).Files
	old := compile(t, &reader, unpack(t, files), "./a")
	edited := slices.Clone(files)
	for i, f := range edited {
		text := string(f.Data)
		for _, edit := range []string{"s += i\n", "n ^ n>>2", "b.Heavy(n) * 3", "b.Heavy(n) + 1", "b.Heavy(k) + 2", "n * 11", "b.Heavy(n) ^ 5", "Heavy(n) + 23", "b.Heavy(14"} {
			text = strings.ReplaceAll(text, edit, strings.Replace(edit+"0", "\n0", " * 3\n", 1))
		}
		edited[i].Data = []byte(text)
	}
	edited[1].Data = append(edited[1].Data, "\nvar start = OnInit(2)\n\n//go:noinline\nfunc OnInit(n int) int { return n*n + 7 }\n"...)
	c := Compare(old, compile(t, &reader, unpack(t, edited), "./a"))
	changed := c.Changed(Builtins(goroot(t)))
	reaches := c.Reaches(changed)
	got := make(map[string]string)
	for i, r := range reaches {
		words := r.Benchmarks
		for word, is := range map[string]bool{"start": r.Start, "binary": r.Binary} {
			if is {
				words = append(words, word)
			}
		}
		slices.Sort(words)
		got[Bare(changed[i].Name)] += strings.ReplaceAll(strings.Join(words, " "), "Benchmark", "")
	}
	for name, want := range map[string]string{
		"Heavy": "Literals Shapes binary", "each": "Literals binary", "Later": "Literals binary", "Lists": "Literals binary", "small": "Inlines binary", "Area": "", "Unused": "", "OnlyTested": "binary", "Eleven": "", "OnInit": "binary start",
	} {
		if got[name] != want {
			t.Errorf("%s is reached by %q, want %q", name, got[name], want)
		}
	}
	if len(got) != 10 {
		t.Errorf("changed: %v", got)
	}
}

// TestRunning: which functions run with a benchmark.
func TestRunning(t *testing.T) {
	var reader Reader
	p := compile(t, &reader, unpack(t, txtar.Parse([]byte(changedModule)).Files), "./a")
	for _, test := range []struct{ benchmark, want string }{
		{"BenchmarkShapes", "BenchmarkShapes Heavy Area"},
		{"BenchmarkInlines", "BenchmarkInlines"},
	} {
		got := make(map[string]bool)
		for _, name := range Compare(p, p).Running([]string{test.benchmark}) {
			if strings.Contains(name, "Circle") {
				t.Errorf("%s runs %s", test.benchmark, name)
			}
			got[Bare(name)] = true
		}
		for name := range strings.FieldsSeq(test.want) {
			if !got[name] {
				t.Errorf("%s does not run %s", test.benchmark, name)
			}
		}
		if got["OnlyTested"] || got["Unused"] || got["BenchmarkShapes"] && got["BenchmarkInlines"] {
			t.Errorf("%s runs %v", test.benchmark, got)
		}
	}
}

func TestBare(t *testing.T) {
	for symbol, want := range map[string]string{
		"example.com/m.F":             "F",
		"example.com/a%2eb.(*T).M":    "M",
		"m.T.M-fm":                    "M",
		"m.Tree[go.shape.int].Insert": "Insert",
		"m.(*Tree[m.Map[string,example.com/x.V]]).Insert": "Insert",
		"m.F[go.shape.struct { X []int }].func1.2":        "F",
		"m.F-range1":   "F",
		"m.init.0":     "init",
		"m.init.func3": "init",
		// As Go 1.27 writes them.
		"m.Seq.1":                  "Seq",
		"m.F-range1-range1.2":      "F",
		"m.F[go.shape.int]-range1": "F",
		"m.F.deferwrap2":           "F",
		"m.F.gowrap3":              "F",
		"m.init.0.func1":           "init",
		"m.I.Value-fm":             "Value",
		"m.(*T[go.shape.struct { m.a [2]int; m.b []int }]).All.func1": "All",
	} {
		if got := Bare(symbol); got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}
