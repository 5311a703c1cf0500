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

import "example.com/m/b"

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

func Inlines(n int) int { return small(n) + small(n+1) }
-- a/a_test.go --
package a

import "testing"

var sink int

func BenchmarkShapes(b *testing.B) {
	for b.Loop() {
		sink += Sum([]Shape{Square{}}, 100)
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
`

// TestChanged: which functions an edit changes, and which benchmarks can reach
// them.
func TestChanged(t *testing.T) {
	var reader Reader
	files := txtar.Parse([]byte(changedModule)).Files
	old := compile(t, &reader, unpack(t, files), "./a")
	for _, test := range []struct{ name, from, to, want string }{
		{"nothing", "package b\n", "package b\n\n// A comment.\n", ""},
		{"reached by all that call it", "s += i\n", "s += i * i\n", "b.Heavy: BenchmarkShapes"},
		{"through an interface", "b.Heavy(n) * n", "b.Heavy(n) * n * 5", "a.Square.Area: BenchmarkShapes"},
		{"a type that no benchmark makes", "b.Heavy(n) * 3", "b.Heavy(n) * 7", "a.Circle.Area: "},
		{"unused", "b.Heavy(n) + 1", "b.Heavy(n) + 9", "a.Unused: "},
		{"only a test, in a closure", "b.Heavy(k) + 2", "b.Heavy(k) + 8", "a.OnlyTested: "},
		{"inlined", "n ^ n>>2", "n ^ n>>5", "a.small: BenchmarkInlines"},
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
				got = append(got, strings.TrimPrefix(f.Name, "example.com/m/")+": "+strings.Join(f.Benchmarks, " "))
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("changed: %s\nwant:    %s", text, test.want)
			}
		})
	}
}
