package judge

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
	"github.com/tarebench/tare/internal/finding"
)

// machinesOf are the machines that measured the blocks, nil if there was one.
func machinesOf(blocks []block) []int {
	out := make([]int, len(blocks))
	for i, b := range blocks {
		out[i] = b.Machine
	}
	if len(out) == 0 || !slices.ContainsFunc(out, func(m int) bool { return m != out[0] }) {
		return nil
	}
	return out
}

// partOf returns the finding that a recording is one part of a study.
func partOf(study result.Study) (f finding.Finding, ok bool) {
	if study.Part == nil {
		return f, false
	}
	p := study.Part
	return kind.PartOfStudy.Of("", finding.Count("number", p.Number, ""), finding.Count("of", p.Of, "")), true
}

// suspicions are the suspicions of [Sides], by the blocks of each machine: the
// difference between machines is no property of the benchmark.
func suspicions(rec *result.Recording, b result.Benchmark, v int) (out []finding.Finding) {
	byMachine := make(map[int][]result.Block)
	for _, k := range b.Blocks {
		byMachine[k.Machine] = append(byMachine[k.Machine], k)
	}
	if len(byMachine) < 2 {
		return Sides(rec.Study, b, 0, v)
	}
	for m := range rec.Machines {
		head, one := rec.Study, b
		head.Machine, one.Blocks = &rec.Machines[m], byMachine[m]
		for _, f := range Sides(head, one, 0, v) {
			if !slices.ContainsFunc(out, func(o finding.Finding) bool { return o.ID == f.ID }) {
				out = append(out, f)
			}
		}
	}
	return out
}

// timeChanges are ln(new/old) of the time per operation of the good blocks, and
// the machine of each.
func timeChanges(b result.Benchmark, old, new int) (changes []float64, machines []int) {
	good := goodBlocks(b.Blocks, old, new)
	if machines = machinesOf(good); machines == nil {
		return nil, nil
	}
	if changes = BlockRatios(b, "sec/op", old, new); len(changes) != len(good) {
		return nil, nil
	}
	return changes, machines
}

// machinesDisagree is the finding that the change of a benchmark depends on the
// machine: the test of equal changes rejects at the level left for one row of
// the study, and the changes differ by more than delta.
func machinesDisagree(rec *result.Recording, study result.Study, b result.Benchmark, v int) (f finding.Finding, found bool) {
	changes, machines := timeChanges(b, 0, v)
	of := byStratum(changes, machines)
	if len(of) < 2 {
		return f, false
	}
	least, most := slices.MinFunc(of, byMedian), slices.MaxFunc(of, byMedian)
	if most.median()-least.median() <= math.Log1p(study.Delta) {
		return f, false
	}
	j := judged{study: study, benchmark: b, new: v}
	p := equalChanges(of, j.seed("machines"), j.adjusted())
	if p > j.adjusted() {
		return f, false
	}
	return kind.MachinesDisagree.Of(b.Name,
		finding.Change("least", math.Expm1(least.median())), finding.Text("where", machineName(rec, least.machine)),
		finding.Change("most", math.Expm1(most.median())), finding.Text("there", machineName(rec, most.machine)),
		finding.Number("p", p)), true
}

func machineName(rec *result.Recording, m int) string {
	if m >= len(rec.Machines) {
		return fmt.Sprintf("machine %d", m+1)
	}
	of := rec.Machines[m]
	name := cmp.Or(of.Name, fmt.Sprintf("machine %d", m+1))
	if of.CPU.Model != "" {
		name += " (" + of.CPU.Model + ")"
	}
	return name
}

// stratum are the changes of the blocks of one machine.
type stratum struct {
	machine int
	changes []float64
}

func (s stratum) median() float64 { return stats.Median(s.changes) }

func byMedian(a, b stratum) int { return cmp.Compare(a.median(), b.median()) }

// byStratum groups changes by their machine. It omits machines with one block,
// which have no spread to compare with.
func byStratum(changes []float64, machines []int) (of []stratum) {
	for i, m := range machines {
		k := slices.IndexFunc(of, func(s stratum) bool { return s.machine == m })
		if k < 0 {
			k, of = len(of), append(of, stratum{machine: m})
		}
		of[k].changes = append(of[k].changes, changes[i])
	}
	return slices.DeleteFunc(of, func(s stratum) bool { return len(s.changes) < 2 })
}

// equalChanges is the p-value of the hypothesis that all strata have the same
// change, whatever the spread of each. It takes Welch's statistic and the
// parametric bootstrap of Krishnamoorthy, Lu and Mathew (2007), which draws the
// means and the variances of normal samples of these sizes and spreads. (With
// few blocks on a noisy machine, a permutation of the blocks among machines had
// 9% false findings at a level of 5%.) It stops early if p is far above the
// level (Besag and Clifford 1991).
func equalChanges(of []stratum, seed uint64, level float64) float64 {
	const most, enough = 1 << 17, 20
	draws := min(most, int(enough/level)+1)
	observed := make([]sample, len(of))
	for i, s := range of {
		observed[i] = sampleOf(s.changes)
	}
	statistic := welch(observed)
	random := rand.New(rand.NewPCG(seed, 0x6d616368696e6573))
	above, drawn := 0, make([]sample, len(of))
	for n := 1; n <= draws; n++ {
		for i, s := range observed {
			squares := 0.0
			for range s.n - 1 {
				z := random.NormFloat64()
				squares += z * z
			}
			drawn[i] = sample{s.n, random.NormFloat64() * math.Sqrt(s.variance/float64(s.n)), s.variance * squares / float64(s.n-1)}
		}
		if welch(drawn) >= statistic {
			if above++; above == enough {
				return float64(above) / float64(n)
			}
		}
	}
	return float64(above+1) / float64(draws+1)
}

// sample is the summary of a sample for Welch's statistic.
type sample struct {
	n              int
	mean, variance float64
}

// sampleOf gives values without any spread a small one.
func sampleOf(x []float64) sample {
	s := sample{n: len(x), mean: mean(x)}
	for _, v := range x {
		s.variance += (v - s.mean) * (v - s.mean) / float64(len(x)-1)
	}
	s.variance = max(s.variance, 1e-18)
	return s
}

// welch is the statistic of Welch's test of equal means (Welch 1951).
func welch(samples []sample) float64 {
	total, grand := 0.0, 0.0
	for _, s := range samples {
		w := float64(s.n) / s.variance
		total += w
		grand += w * s.mean
	}
	grand /= total
	k := float64(len(samples))
	between, lambda := 0.0, 0.0
	for _, s := range samples {
		w := float64(s.n) / s.variance
		between += w * (s.mean - grand) * (s.mean - grand)
		lambda += (1 - w/total) * (1 - w/total) / float64(s.n-1)
	}
	return between / (k - 1) / (1 + 2*(k-2)/(k*k-1)*lambda)
}
