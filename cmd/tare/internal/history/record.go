package history

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

// Spec has the commit to record, and the way to measure.
type Spec struct {
	// Session is the way to measure. Run sets its variants.
	Session session.Spec
	Store   store
	Repo    Repository
	// Revision is the commit to record, "HEAD" by default. Against names commits
	// to compare it with, in addition to its parent. Empty uses the anchor.
	Revision string
	Against  []string
	// Total is the time for the whole record, 0 without a bound. At most a
	// third of it is for candidates that are open at the start. The comparisons
	// of the commit come next, in which every session spends its part by need.
	// The remaining time is for new candidates.
	Total time.Duration
	Now   func() time.Time
	// Compare measures a pair of commits. Nil opens a session.
	Compare func(context.Context, Pair) (result.Comparison, error)
}

// Pair is two commits to compare.
type Pair struct {
	Old, New string
	// Pkg and Bench name one benchmark exactly. Empty means all selected ones.
	Pkg, Bench string
	// Alpha is the error rate of a verdict.
	Alpha float64
	// Total is the time for the comparison. 0 is no bound. Benchmarks of a
	// lower Rank are measured first.
	Total time.Duration
	Rank  map[result.Key]int
}

// Outcome is the result of a record.
type Outcome struct {
	Commit Commit
	// Edges counts the rows that were stored.
	Edges int
	// Decisions are the decisions of this record, Open the remaining candidates.
	Decisions []Decision
	Open      int
	// Same are the commits without a new comparison: the code equals the
	// parent's.
	Same []Commit
	// Left lists the benchmarks of the commit that were not measured, with the
	// reason.
	Left    []string
	Skipped []Skipped
	// Needs is a sufficient total, if the total recorded nothing.
	Needs time.Duration
}

// Empty reports whether a record measured nothing, although it should have.
func (o Outcome) Empty() bool { return o.Needs > 0 }

// Run records one commit, and decides candidates while there is time.
func Run(ctx context.Context, spec Spec, w session.Watcher) (Outcome, error) {
	if spec.Now == nil {
		spec.Now = time.Now
	}
	spec.Revision = cmp.Or(spec.Revision, "HEAD")
	if spec.Compare == nil {
		// All pairs share one builder, because they share commits.
		builder := spec.Session.NewBuilder(w.Step)
		spec.Session.Builder = builder
		defer builder.Close()
		spec.Compare = func(ctx context.Context, p Pair) (result.Comparison, error) {
			return compare(ctx, spec.Session, p, w)
		}
	}
	r := &recorder{spec: spec, deadline: spec.Now().Add(spec.Total), open: make(map[Key][]Candidate), tried: make(map[question]bool)}
	r.keep = func(ctx context.Context, e Entry) (string, error) {
		return add(ctx, spec.Store, e, spec.Now())
	}
	err := r.record(ctx)
	return r.out, err
}

type recorder struct {
	spec     Spec
	deadline time.Time
	line     []Commit
	out      Outcome
	// files are the history with the files of this record. graph is their graph.
	files []File
	graph *Graph
	keep  func(context.Context, Entry) (name string, err error)
	// open are the candidates of a benchmark until something is added to its
	// series.
	open map[Key][]Candidate
	// tried are the candidates that this run measured.
	tried map[question]bool
	// missed counts the benchmarks for which there was no time.
	missed int
}

type question struct {
	commit string
	key    Key
}

func (r *recorder) late(end time.Time) bool { return r.spec.Total > 0 && !r.spec.Now().Before(end) }

const candidateShare = 3

func (r *recorder) record(ctx context.Context) (err error) {
	if r.out.Commit, err = r.spec.Repo.Commit(ctx, r.spec.Revision); err != nil {
		return err
	}
	if r.line, err = r.spec.Repo.Line(ctx, r.out.Commit.Hash); err != nil {
		return err
	}
	files, skipped, err := load(ctx, r.spec.Store)
	if err != nil {
		return err
	}
	r.out.Skipped = skipped
	r.files = files
	r.load()
	var bases []Commit
	for _, base := range r.bases(ctx) {
		old, err := r.spec.Repo.Commit(ctx, base)
		if err != nil {
			return err
		}
		twice := slices.ContainsFunc(bases, func(c Commit) bool { return c.Hash == old.Hash })
		if !twice && old.Hash != r.out.Commit.Hash {
			bases = append(bases, old)
		}
	}
	began, share := r.spec.Now(), r.spec.Total/candidateShare
	if r.spec.Total > 0 {
		if err := r.decide(ctx, began.Add(share)); err != nil {
			return err
		}
	}
	later := max(0, share-r.spec.Now().Sub(began))
	if err := r.edges(ctx, bases, r.deadline.Add(-later)); err != nil {
		return err
	}
	if err := r.decide(ctx, r.deadline); err != nil {
		return err
	}
	if len(bases) > 0 && r.out.Edges+len(r.out.Same)+len(r.out.Decisions) == 0 {
		// Binaries are built again, and a benchmark takes at most its budget.
		each := time.Duration(r.spec.Session.BudgetSeconds * float64(time.Second) * float64(max(1, r.missed)))
		r.out.Needs = (r.spec.Now().Sub(began) + each*time.Duration(len(bases))).Round(time.Second) + time.Second
	}
	return nil
}

// edges compares the commit with others until the end. If its code equals its
// parent's, the comparisons of the parent count for it.
func (r *recorder) edges(ctx context.Context, bases []Commit, end time.Time) error {
	rank := rank(r.graph, r.candidates)
	var parent *result.Comparison
	for i, old := range bases {
		if r.late(end) {
			break
		}
		if parent != nil && len(r.spec.Against) == 0 && r.repeats(*parent, old) {
			r.out.Same = append(r.out.Same, old)
			continue
		}
		c, err := r.spec.Compare(ctx, Pair{Old: old.Hash, New: r.out.Commit.Hash, Alpha: r.spec.Session.Alpha,
			Total: r.until(end) / time.Duration(len(bases)-i), Rank: rank})
		if err != nil {
			return err
		}
		rows, err := r.add(ctx, c, old, r.out.Commit)
		if err != nil {
			return err
		}
		r.out.Edges += rows
		left := unmeasured(c)
		r.missed = max(r.missed, len(notReached(c)))
		r.out.Left = append(r.out.Left, left...)
		if i == 0 && len(left) == 0 {
			parent = &c
		}
	}
	return nil
}

// repeats reports whether a comparison with another commit would repeat one in
// the history. Every benchmark has the code of the parent, and a commit of that
// code was compared with it.
func (r *recorder) repeats(parent result.Comparison, old Commit) bool {
	for _, row := range parent.Benchmarks {
		if row.Reason != result.ReasonSameCode || !r.graph.Compared(Key{Pkg: row.Pkg, Name: row.Name, Unit: row.Unit}, old.Hash, r.out.Commit.Hash) {
			return false
		}
	}
	return len(parent.Benchmarks) > 0
}

// unmeasured lists the missing rows of a comparison: packages that do not
// build, and packages and benchmarks for which there was no time.
func unmeasured(c result.Comparison) (left []string) {
	for _, f := range c.Findings {
		if f.Severity == finding.Severe || catalog.PackageNotReached.Is(f) {
			left = append(left, f.Subject+": "+f.Message)
		}
	}
	if names := notReached(c); len(names) > 0 {
		left = append(left, "no time in the total: "+strings.Join(names, ", "))
	}
	return left
}

func notReached(c result.Comparison) (names []string) {
	for _, b := range c.Benchmarks {
		if b.Verdict == result.NotReached && !slices.Contains(names, b.Name) {
			names = append(names, b.Name)
		}
	}
	return names
}

func (r *recorder) add(ctx context.Context, c result.Comparison, old, new Commit) (rows int, err error) {
	study := studyOf(c, 1, old, new, r.spec.Now())
	if len(study.Rows) == 0 {
		return 0, nil
	}
	if err := r.put(ctx, Entry{Study: &study}); err != nil {
		return 0, keptIn(c.Folder, err)
	}
	for _, row := range study.Rows { // the same code counts for every unit
		maps.DeleteFunc(r.open, func(k Key, _ []Candidate) bool { return k.Pkg == row.Pkg && k.Name == row.Name })
	}
	return len(study.Rows), nil
}

func (r *recorder) put(ctx context.Context, e Entry) error {
	name, err := r.keep(ctx, e)
	if err != nil {
		return err
	}
	r.files = append(r.files, File{name, e})
	r.load()
	return nil
}

func (r *recorder) load() { r.graph = NewGraph(r.files, hashes(r.line)) }

// until is the time up to an end of the total. 0 is no bound.
func (r *recorder) until(end time.Time) time.Duration {
	if r.spec.Total == 0 {
		return 0
	}
	return max(time.Second, end.Sub(r.spec.Now()))
}

func (r *recorder) bases(ctx context.Context) []string {
	var bases []string
	if len(r.line) > 1 {
		bases = append(bases, r.line[len(r.line)-2].Hash)
	}
	if len(r.spec.Against) > 0 {
		return append(bases, r.spec.Against...)
	}
	if anchor := r.spec.Repo.Anchor(ctx, r.out.Commit.Hash); anchor != "" {
		bases = append(bases, anchor)
	}
	return bases
}

func hashes(line []Commit) []string {
	all := make([]string, len(line))
	for i, c := range line {
		all[i] = c.Hash
	}
	return all
}
