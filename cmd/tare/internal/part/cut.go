package part

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Function is a benchmark function of a package, with all its sub-benchmarks:
// the least that a part by benchmark has. Name is empty for a whole package
// whose functions are not known.
type Function struct{ Pkg, Name string }

// Check refuses a part that there cannot be, by the flags that name it.
func Check(p result.Part) error {
	switch {
	case p.Of < 1 || p.Number < 1 || p.Number > p.Of:
		return fmt.Errorf("flags -n and -of: part %d of %d: the parts are numbered from 1 to -of", p.Number, p.Of)
	case p.By != result.ByBenchmark && p.By != result.ByBlock:
		return fmt.Errorf("flag -by: %q is neither benchmark nor block%s", p.By, pattern.Hint(p.By, []string{result.ByBenchmark, result.ByBlock}, ""))
	}
	return nil
}

// Cut picks the functions of one part: neighbors, so that a machine builds few
// packages. The parts of all numbers have every function once, and differ by
// one function at most.
func Cut(all []Function, p result.Part) []Function {
	n := len(all)
	return all[(p.Number-1)*n/p.Of : p.Number*n/p.Of]
}

// Seed makes a seed of what all parts of a study have in common, so that
// machines that cannot ask each other draw the same random numbers. The same
// comparison of the same revisions gives the same seed again.
func Seed(study result.Study) (uint64, error) {
	type common struct {
		Variants     []result.Variant
		Request      result.Request
		Alpha, Delta float64
		Blocks, Of   int
		By           string
	}
	c := common{Variants: study.Variants, Request: *study.Request, Alpha: study.Alpha, Delta: study.Delta,
		Blocks: study.MaxBlocks, Of: study.Request.Part.Of, By: study.Request.Part.By}
	c.Request.Part, c.Request.Output = nil, result.Output{}
	text, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()>>11 + 1, nil // exact in every JSON reader
}
