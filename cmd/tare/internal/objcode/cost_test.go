package objcode

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/test/objects"
)

// BenchmarkCost is the cost of a comparison for a package, besides the builds:
// reading the objects of both sides from files that are in the page cache, and
// comparing all benchmarks. The sides are the package itself, twice, and so all
// of it is followed to the end.
func BenchmarkCost(b *testing.B) {
	for _, pkg := range []string{"net/http", "go/types", "gonum.org/v1/gonum/mat", "gonum.org/v1/gonum/blas/gonum"} {
		b.Run(pkg, func(b *testing.B) {
			dir, args := objects.Compile(b, "../..", pkg)
			var reader Reader
			open := func() *Program {
				p, err := reader.Open(dir, args)
				if err != nil {
					b.Fatal(err)
				}
				return p
			}
			open()
			b.Run("first", func(b *testing.B) {
				for b.Loop() {
					reader = Reader{}
					compareAll(b, open(), open())
				}
			})
			b.Run("further", func(b *testing.B) {
				for b.Loop() {
					compareAll(b, open(), open())
				}
			})
			b.Run("reaches", func(b *testing.B) { // as if all functions had changed
				p := open()
				c := Compare(p, p)
				all := c.Find(func(string) bool { return true })
				b.Logf("%d benchmarks, %d functions", len(c.Benchmarks()), len(all))
				for b.Loop() {
					if c.Reaches(all) == nil {
						b.Fatal("not understood")
					}
				}
			})
			b.Run("open", func(b *testing.B) {
				for b.Loop() {
					open()
				}
			})
		})
	}
}

func compareAll(b *testing.B, old, new *Program) {
	c := Compare(old, new)
	for _, name := range c.Benchmarks() {
		if v := c.Benchmark(name); !v.Same {
			b.Fatalf("%s: %s", name, v.Why)
		}
	}
}
