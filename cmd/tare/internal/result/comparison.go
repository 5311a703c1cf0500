package result

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/tarebench/tare/internal/finding"
	"github.com/tarebench/tare/internal/unit"
)

// Verdict is a claim about new against old. "Faster" means better for the
// unit: less time, fewer allocations, more bytes per second.
type Verdict string

const (
	Faster Verdict = "faster"
	Slower Verdict = "slower"
	// Different is a change in a unit of unknown direction.
	Different Verdict = "changed"
	Same      Verdict = "same"
	Undecided Verdict = "undecided"
	Failed    Verdict = "failed"
	// Skipped and Missing are rows that were not compared. The benchmark skips
	// itself, or only one variant has it.
	Skipped Verdict = "skipped"
	Missing Verdict = "missing"
	// NotReached is a row whose benchmark had no look before the total was over.
	NotReached Verdict = "not reached"
)

// Estimate is a center with its interval, in the base unit. N counts its
// replicates (blocks, or samples of a file). Lo and Hi are NaN without an
// interval, and null in JSON.
type Estimate struct {
	Center, Lo, Hi float64
	N              int
}

// IsZero reports whether nothing is known. JSON then omits the estimate.
func (e Estimate) IsZero() bool { return e.N == 0 && math.IsNaN(e.Center) }

// Change is new/old with its interval: 0.95 is 5% less. NaN is unknown (null in
// JSON). If a value is zero or negative, there is no ratio. Then Difference is
// set, in the base unit, and Ratio, Lo and Hi are NaN.
type Change struct {
	Ratio, Lo, Hi float64
	Difference    *Estimate
}

// IsZero reports whether nothing is known. JSON then omits the change.
func (c Change) IsZero() bool { return c.Difference == nil && math.IsNaN(c.Ratio) && math.IsNaN(c.Lo) }

// IsRun reports whether the table has one variant, with nothing to compare.
func (c *Comparison) IsRun() bool { return len(c.Variants) == 1 }

// Measured reports whether a benchmark has blocks, or needs none because its
// code is the same.
func (c *Comparison) Measured() bool {
	return slices.ContainsFunc(c.Benchmarks, func(b BenchmarkComparison) bool { return b.Blocks > 0 || b.Reason == ReasonSameCode })
}

// BenchmarkComparison is one row: one benchmark, one unit, new against old. A row
// of a run has only New: its Old and Change are unknown, and its verdict is empty
// unless the benchmark was not measured. JSON has the fields that all rows of a
// benchmark share once: see [Comparison.Document].
type BenchmarkComparison struct {
	Key  `json:"-"`
	Unit string `json:"unit"`
	// Better is the direction in which the unit improves, if a file sets it. If it
	// is 0, the unit's name decides: see Direction.
	Better unit.Direction `json:"-"`
	// Old and New index Comparison.Variants.
	OldVariant int      `json:"old_variant"`
	NewVariant int      `json:"new_variant"`
	Old        Estimate `json:"old,omitzero"`
	New        Estimate `json:"new"`
	Change     Change   `json:"change,omitzero"`
	// A Level describes New alone, in a run.
	Level
	// SE is the standard error of the logarithm of Change, 0 if unknown. The
	// interval of Change is wider: it is valid at every look.
	SE float64 `json:"-"`
	// Joint is the interval of Change at the joint level of all rows of the family.
	// It is nil if unknown.
	Joint *Interval `json:"joint,omitempty"`
	// LongRuns are the long runs, in the rows of time. It is nil if
	// unknown.
	LongRuns *LongRuns `json:"long_runs,omitempty"`
	// P is the two-sided p-value of "the label does not matter". It is nil without
	// a test (both variants constant and equal, too few blocks).
	P *float64 `json:"p"`
	// PHolm is P adjusted over the family of the row.
	PHolm *float64 `json:"p_holm,omitempty"`
	// PAssumes is what P assumes and the runs of two files contradict.
	PAssumes string  `json:"p_assumes,omitempty"`
	Verdict  Verdict `json:"verdict,omitempty"`
	// Gate is the outcome of the gate for this row.
	Gate Gate `json:"-"`
	// Reason is the reason for a verdict without a measurement: [ReasonSameCode],
	// or empty.
	Reason string `json:"reason,omitempty"`
	// Delta is the row's relative change below which two variants are the same. If
	// it is 0, Delta of the comparison is valid.
	Delta float64 `json:"delta,omitempty"`
	// Exact is true when both variants are constant: the change is exact.
	Exact bool `json:"exact,omitempty"`
	// Config has the other keys that distinguish this row from its neighbors (tare
	// stat -row, -table).
	Config  map[string]string `json:"-"`
	Rounds  int               `json:"rounds"`
	Blocks  int               `json:"blocks"`
	Seconds float64           `json:"seconds"`
	// CPUs lists the CPUs that both variants ran on ("0", "0-3,8"), in the rows of
	// time. It is empty if the scheduler chose.
	CPUs string `json:"cpus,omitempty"`
	// OldBytes and NewBytes are the bytes that an operation processes
	// (b.SetBytes), in the rows of time: bytes per second are these over the time.
	OldBytes float64 `json:"old_bytes,omitempty"`
	NewBytes float64 `json:"new_bytes,omitempty"`
	// OldRuntime and NewRuntime are set in the rows of time.
	OldRuntime *RuntimeCounts `json:"old_runtime,omitempty"`
	NewRuntime *RuntimeCounts `json:"new_runtime,omitempty"`
	// Functions are the functions whose count changed most, for counts.
	Functions []FunctionChange `json:"functions,omitempty"`
	// Needed is about the number of blocks (or samples per variant) that settle an
	// undecided row. It is 0 if decided or unknown.
	Needed int `json:"needed,omitempty"`
	// Detectable is the smallest relative change that this row would have found
	// four times in five (0.03 is 3%). It is 0 if unknown.
	Detectable float64 `json:"detectable,omitempty"`
	// Primary is set for the row by which its benchmark is judged: the first, which
	// is the time if there is one.
	Primary bool `json:"-"`
	// Row labels the row if the key does not (tare stat -row).
	Row      string            `json:"-"`
	Findings []finding.Finding `json:"-"`
	// Tests is "new" if both variants were measured with the tests of the new one,
	// since they differ. It is "own" if the old code does not build with them,
	// and "other" if the benchmark or its inputs differ too, so that the row has no
	// verdict.
	Tests string `json:"-"`
}

// Level describes the values of a variant that nothing is compared with.
type Level struct {
	// Raw is the center before the overhead was subtracted, Overhead the interval
	// of the subtracted overhead, both per operation.
	Raw      float64  `json:"raw,omitempty"`
	Overhead Interval `json:"overhead,omitzero"`
	// Quantiles of the slices' values: "min", "p25", "p50", "p75", "p90", "max".
	Quantiles map[string]float64 `json:"quantiles,omitempty"`
	// Spread is half the middle half of the blocks relative to the center,
	// Band its word: good, fair, unstable, or busy beside other programs.
	Spread float64 `json:"spread,omitempty"`
	Band   string  `json:"band,omitempty"`
	// OtherOrders is the range of the time per operation in function orders other
	// than the default one. New is the level of the default one.
	OtherOrders *Interval `json:"other_orders,omitempty"`
}

// Differs reports whether the variants are known to differ.
func (v Verdict) Differs() bool { return v == Faster || v == Slower || v == Different }

// Direction is the direction in which the row's unit improves.
func (b *BenchmarkComparison) Direction() unit.Direction {
	if b.Better != 0 {
		return b.Better
	}
	return unit.Better(b.Unit)
}

// ReasonSameCode is the reason of the verdict Same if both variants have the
// same machine code and data.
const ReasonSameCode = "same-code"

// ReasonEverywhere is the reason of the verdict Failed if every variant failed,
// and ReasonNew of Missing if only the old variant does not have the benchmark.
// Neither is a regression.
const (
	ReasonEverywhere = "everywhere"
	ReasonNew        = "new"
)

// AllNew reports whether there is nothing to compare because every benchmark is
// new.
func (c *Comparison) AllNew() bool {
	return len(c.Benchmarks) > 0 && !slices.ContainsFunc(c.Benchmarks, func(b BenchmarkComparison) bool { return b.Reason != ReasonNew })
}

// Summary counts the verdicts on the primary unit of each benchmark.
type Summary struct {
	Faster    int `json:"faster"`
	Slower    int `json:"slower"`
	Changed   int `json:"changed,omitempty"`
	Same      int `json:"same"`
	Undecided int `json:"undecided"`
	Failed    int `json:"failed"`
	// Skipped and Missing were not compared.
	Skipped int `json:"skipped"`
	Missing int `json:"missing"`
	// NotReached had no look before the total was over.
	NotReached int `json:"not_reached"`
	// SameCode is the part of Same that was not measured, because the code is the
	// same.
	SameCode int `json:"same_code,omitempty"`
}

// GeoMean is the geometric mean of the ratios of one unit and column.
type GeoMean struct {
	Unit       string            `json:"unit"`
	NewVariant int               `json:"new_variant"`
	Config     map[string]string `json:"config,omitempty"`
	Old        float64           `json:"old"`
	New        float64           `json:"new"`
	Change     Change            `json:"change"`
	N          int               `json:"n"`
}

// Comparison is the table of compare, run and stat. A run is a comparison of one
// variant: its rows have no old value.
type Comparison struct {
	Variants   []Variant             `json:"variants"`
	Benchmarks []BenchmarkComparison `json:"benchmarks"`
	GeoMeans   []GeoMean             `json:"geomeans,omitempty"`
	Growth     []Growth              `json:"growth,omitempty"`
	Scaling    []Scaling             `json:"scaling,omitempty"`
	Summary    Summary               `json:"summary"`
	// Blind is what the comparison would have seen of each variant's changed
	// functions.
	Blind []Blind `json:"blind,omitempty"`
	Alpha float64 `json:"alpha,omitempty"`
	Delta float64 `json:"delta,omitempty"`
	// Gate has the limits for Gate of the rows. None are the default.
	Gate Limits `json:"-"`
	// Confidence is the confidence of the intervals of Old and New. 0 means 1 -
	// Alpha.
	Confidence float64 `json:"confidence,omitempty"`
	// Config has the common keys of all rows: goos, goarch, cpu (tare stat).
	Config   map[string]string `json:"config,omitempty"`
	Machine  *Machine          `json:"machine,omitempty"`
	Findings []finding.Finding `json:"findings"`
	// Incomplete is true when the study was interrupted.
	Incomplete bool `json:"incomplete,omitempty"`
	// Folder is the directory of the study.
	Folder string `json:"folder,omitempty"`
	// Measurement identifies the measurement by its time and seed, which a resumed
	// study keeps.
	Measurement string `json:"-"`
}

// Interval is a closed interval in the base unit.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// JSON has no NaN: unknown numbers are null.
type estimateJSON struct {
	Center *float64 `json:"center"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	N      int      `json:"n"`
}

type changeJSON struct {
	Ratio      *float64  `json:"ratio"`
	Lo         *float64  `json:"lo"`
	Hi         *float64  `json:"hi"`
	Difference *Estimate `json:"difference,omitempty"`
}

func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func orNaN(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

// MarshalJSON writes unknown numbers as null.
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(estimateJSON{known(e.Center), known(e.Lo), known(e.Hi), e.N})
}

// UnmarshalJSON reads null as NaN.
func (e *Estimate) UnmarshalJSON(b []byte) error {
	var j estimateJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*e = Estimate{orNaN(j.Center), orNaN(j.Lo), orNaN(j.Hi), j.N}
	return nil
}

// MarshalJSON writes unknown numbers as null.
func (c Change) MarshalJSON() ([]byte, error) {
	return json.Marshal(changeJSON{known(c.Ratio), known(c.Lo), known(c.Hi), c.Difference})
}

// UnmarshalJSON reads null as NaN.
func (c *Change) UnmarshalJSON(b []byte) error {
	var j changeJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*c = Change{orNaN(j.Ratio), orNaN(j.Lo), orNaN(j.Hi), j.Difference}
	return nil
}

// LongRuns are the long runs of a row of time: single calls of many iterations
// on all CPUs, as go test makes them. They show whether the row measures what
// go test does, and are no estimate: a value is the range of a few runs.
type LongRuns struct {
	// Levels are the times per operation in seconds: of the old and the new
	// variant, or of the only one.
	Levels []Interval `json:"levels"`
	// Change is new/old.
	Change *Interval `json:"change,omitempty"`
	// CPU is new/old of the CPU time of the process per operation, if it goes another
	// way than the time. It is nil otherwise.
	CPU *Interval `json:"cpu,omitempty"`
	// Seconds is how long they took, of the variant with less, or 0 if they
	// neither agree nor are enough to contradict.
	Seconds float64 `json:"seconds"`
	// Contradict is set if they contradict the slices. The interval of the row
	// then holds both: its size is not known better.
	Contradict bool `json:"contradict,omitempty"`
}
