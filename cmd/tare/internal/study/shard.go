package study

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Function is a benchmark function of a package with all its sub-benchmarks,
// the smallest unit of a part. Name is empty for a whole package whose
// functions are not known.
type Function struct{ Pkg, Name string }

// mostParts limits the number of parts that a recording from elsewhere can request.
const mostParts = 10_000

// ParsePart reads a part such as 3/8.
func ParsePart(text string) (p result.Part, err error) {
	number, of, _ := strings.Cut(text, "/")
	p.Number, err = strconv.Atoi(number)
	if err == nil {
		p.Of, err = strconv.Atoi(of)
	}
	if err != nil || p.Number < 1 || p.Number > p.Of || p.Of > mostParts {
		return p, fmt.Errorf("%q is not a part such as 3/8 (the first is 1)", text)
	}
	return p, nil
}

// Cut picks the functions of one part. They are neighbors, so that a machine
// builds few packages. All parts together contain every function once, and
// their sizes differ by at most one function.
func Cut(all []Function, p result.Part) []Function {
	n := len(all)
	return all[(p.Number-1)*n/p.Of : p.Number*n/p.Of]
}

func (o Options) has(pkg, name string) bool {
	if o.Part == nil {
		return true
	}
	here := Cut(o.Functions, *o.Part)
	return slices.Contains(here, Function{pkg, name}) || slices.Contains(here, Function{Pkg: pkg})
}

// wholeFamily is the number of comparisons judged together, estimated from the
// number of comparisons here. Sub-benchmarks of other parts are not known, so
// each function counts as many as here. The number only decides when to stop.
// The verdicts use the actual number. For an error rate below Alpha each counts
// several times: a difference needs Alpha/Family.
func (o Options) wholeFamily(here int) int {
	if o.Study.Level > 0 {
		here *= int(math.Ceil(o.Study.Alpha / o.Study.Level))
	}
	if o.Part == nil {
		return here
	}
	return here * len(o.Functions) / max(1, len(Cut(o.Functions, *o.Part)))
}

// Seed makes a seed from data that all parts of a study share. Machines
// without a connection then draw the same random numbers. The same comparison
// of the same revisions always has the same seed.
func Seed(study result.Study) (uint64, error) {
	plan, of := study.Plan, study.Part.Of
	plan.Part, plan.Command, plan.Output = nil, nil, result.Output{}
	text, err := json.Marshal(struct {
		Plan     result.Plan
		Variants []result.Variant
		Of       int
	}{plan, study.Variants, of})
	if err != nil {
		return 0, err
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()>>11 + 1, nil // exact in every JSON reader
}
