package attempt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// Options are the options of the user.
type Options struct {
	// Spec is how to measure. Its packages and benchmarks are the ones to improve.
	Spec session.Spec
	// Want is the gain that an attempt needs at least, as a share of the time.
	Want float64
	// Typed is true if the user chose how to measure. Otherwise the open session
	// decides. Named is true if the user named packages, tags or arguments. They
	// are never those of the ledger.
	Typed, Named bool
	// Best is the revision of the first tree. If it is empty, a new session uses
	// HEAD and an open session its best tree.
	Best string
	// Folder is the directory of the session. Empty means the newest open one.
	Folder string
	// Test runs the tests of the packages first.
	Test bool
	// HoldOut is the share of the benchmark functions that are measured only at
	// the end.
	HoldOut float64
	// Output receives the output of failed builds and tests.
	Output io.Writer
}

// Result is an answer with the state of the session.
type Result struct {
	Attempt
	// Session is the state of the ledger after the answer, Folder its directory.
	Session Session
	Folder  string
	// Same is the number of an earlier attempt with the same files or the same
	// machine code, which gave this answer. It is 0 for a new one.
	Same int
	// Baseline is the reason for a new baseline. It is empty if none was made.
	Baseline string
	// Tests are the changed test files. Both trees have the same tests if they build.
	Tests []string
	// Command is the typed command.
	Command []string
}

type run struct {
	o       Options
	w       session.Watcher
	root    string  // the directory of sessions
	ledger  *Ledger // nil before the first baseline
	trees   *Trees
	session Session
	builder *build.Builder
	tree    string
	best    string
	hidden  []string // benchmarks that are held out
	begun   bool     // this call began the session
}

// Run answers whether the working tree is better than the best tree so far.
func Run(ctx context.Context, o Options, w session.Watcher) (result Result, err error) {
	r, release, err := open(ctx, o, w)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := r.adopt(ctx); err != nil {
		return result, err
	}
	if err := r.o.Spec.Check(ctx); err != nil {
		return result, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.forget())
		}
	}()
	why, err := r.baseline(ctx)
	if err != nil {
		return result, err
	}
	a, same, err := r.attempt(ctx)
	if err != nil {
		return result, err
	}
	result = Result{Attempt: a, Session: r.ledger.Session(), Folder: r.ledger.Folder, Same: same, Baseline: why, Command: o.Spec.Command}
	result.Tests, err = r.trees.Changed(ctx, r.best, r.tree, "*_test.go", "*/testdata/*", "testdata/*")
	return result, err
}

// open takes the lock of the session, and keeps the working tree.
func open(ctx context.Context, o Options, w session.Watcher) (r *run, release func() error, err error) {
	root, err := session.MakeRoot(o.Spec.Dir)
	if err != nil {
		return nil, nil, err
	}
	r = &run{o: o, w: w}
	l, unlock, err := openLedger(ctx, filepath.Join(root, "try"), o.Folder, func() { w.Notice("waiting: another attempt of this session runs now") })
	if err != nil {
		return nil, nil, err
	}
	if r.trees, err = OpenTrees(ctx, o.Spec.Dir); err != nil {
		unlock()
		return nil, nil, err
	}
	release = func() error { defer unlock(); return r.trees.Close() }
	r.ledger, r.root = l, filepath.Join(root, "try")
	return r, release, nil
}

// adopt measures as the open session does, unless the user chose otherwise. The
// ledger is data: numbers and the pattern of benchmarks come from it, but nothing
// that names a program, a package or a file, and its commits have to be those that
// the ref of the session keeps in this repository.
func (r *run) adopt(ctx context.Context) error {
	if r.ledger == nil {
		return nil
	}
	s := r.ledger.Session()
	if err := r.trees.Kept(ctx, filepath.Base(r.ledger.Folder), s.commits()); err != nil {
		return err
	}
	p, was := &r.o.Spec.Plan, s.Baseline.Settings
	names := func(p result.Plan) string {
		return words.Shell(slices.Concat(session.TagFlags(p.Tags), p.Packages, p.Args))
	}
	if mine, theirs := names(*p), names(was.Plan); mine != theirs && !r.o.Named {
		return fmt.Errorf("open session: %s measures %s, and the command line names %s: type these words of the session, or others for a new baseline",
			r.ledger.Folder, theirs, mine)
	} else if mine != theirs || r.o.Typed {
		return nil
	}
	p.Bench, p.Delta, p.BudgetSeconds, p.MaxBlocks = was.Plan.Bench, was.Plan.Delta, was.Plan.BudgetSeconds, was.Plan.MaxBlocks
	r.o.Want, r.o.HoldOut = was.Want, was.HoldOut
	return nil
}

// baseline begins a baseline if there is none, or if anything besides the code
// changed. It returns the reason.
func (r *run) baseline(ctx context.Context) (why string, err error) {
	o := r.o
	spec := o.Spec
	version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	if err != nil {
		return "", fmt.Errorf("read version of the toolchain: %w", err)
	}
	facts := machine.Facts(spec.Host.Tree)
	settings := Settings{
		Go: strings.TrimSpace(string(version)), Machine: fmt.Sprintf("%s %s, %d CPUs", facts.Arch, facts.CPU.Model, facts.CPU.Threads),
		Plan: spec.Plan, Want: o.Want, HoldOut: o.HoldOut,
	}
	settings.Plan.Command = nil
	b := Baseline{Schema: Schema, At: time.Now().UTC(), Settings: settings}
	first := r.ledger == nil
	var s Session
	if !first {
		s = r.ledger.Session()
	}
	b.Commit = s.Best()
	if o.Best != "" || first {
		revision := cmp.Or(o.Best, "HEAD")
		if b.Commit, err = r.trees.Commit(ctx, revision); err != nil {
			return "", err
		}
		if !first && b.Commit != s.Best() && b.Commit != s.Baseline.Commit {
			b.Why = "-best " + revision
		}
	}
	if b.Why == "" && !first {
		if b.Why = settings.changed(s.Baseline.Settings); b.Why != "" {
			b.Commit = s.Best()
		}
	}
	if first {
		if r.ledger, err = createLedger(r.root, time.Now()); err != nil {
			return "", err
		}
		r.begun = true
	}
	if first || b.Why != "" {
		if err := r.trees.Hold(ctx, filepath.Base(r.ledger.Folder), b.Commit); err != nil {
			return "", err
		}
		if err := r.ledger.Add(Line{Baseline: &b}); err != nil {
			return "", err
		}
	}
	r.session = r.ledger.Session()
	r.best = r.session.Best()
	return b.Why, nil
}

// forget removes a session that this call began and that has no attempt.
func (r *run) forget() error {
	if !r.begun || len(r.ledger.Session().Attempts) > 0 {
		return nil
	}
	// An interrupted command removes its session too.
	return errors.Join(r.trees.Release(context.Background(), filepath.Base(r.ledger.Folder)), os.RemoveAll(r.ledger.Folder))
}

// attempt answers from the ledger if it can. Otherwise it measures. Same is the
// number of the attempt that gave the answer.
func (r *run) attempt(ctx context.Context) (a Attempt, same int, err error) {
	if r.tree, err = r.trees.Snapshot(ctx); err != nil {
		return a, 0, err
	}
	known := r.session.Known(r.tree)
	if known != nil && (known.Verdict == Keep || known.Verdict == Revert) {
		return *known, cmp.Or(known.Same, known.N), nil
	}
	a = Attempt{N: r.session.Next(), At: time.Now().UTC(), Tree: r.tree, Best: r.best}
	if known != nil { // continue at its level
		a = *known
	} else if before, err := r.trees.Tree(ctx, r.best); err != nil {
		return a, 0, err
	} else if before == r.tree {
		a.N = 0
		a.Answer = Answer{Verdict: Revert, Reason: "nothing changed since the best tree"}
		return a, 0, nil
	}
	began := time.Now()
	same, err = r.answer(ctx, &a)
	if err != nil {
		return a, 0, err
	}
	a.Seconds += time.Since(began).Seconds()
	if a.Verdict == Keep && same == 0 {
		if a.Commit, err = r.trees.Keep(ctx, r.tree, r.best, fmt.Sprintf("tare try: attempt %d\n\n%s", a.N, a.claims())); err != nil {
			return a, 0, err
		}
		if err := r.trees.Hold(ctx, filepath.Base(r.ledger.Folder), a.Commit); err != nil {
			return a, 0, err
		}
	}
	return a, same, r.ledger.Add(Line{Attempt: &a})
}

// claims describes the rows in the message of a commit.
func (a Answer) claims() string {
	var lines []string
	for _, row := range a.Rows {
		lines = append(lines, fmt.Sprintf("%s %s: %+.2f%%", row.Name, row.Unit, 100*(row.Change.Ratio-1)))
	}
	return strings.Join(lines, "\n")
}

// answer builds, tests and measures. If the files cause a failure, the failure
// is the answer. Any other failure is err.
func (r *run) answer(ctx context.Context, a *Attempt) (same int, err error) {
	spec := r.o.Spec
	unlock, err := machine.Lock(ctx, spec.Lock, func(holder string) {
		r.w.Notice(fmt.Sprintf("waiting: %s measures on this machine now (-lock=off measures at the same time)", holder))
	})
	if err != nil {
		return 0, err
	}
	defer unlock()
	r.o.Spec.Lock = machine.LockOff
	r.builder = spec.NewBuilder(r.w.Step)
	r.builder.KeepLinks = true
	defer func() { err = errors.Join(err, r.builder.Close()) }()
	code, err := session.OpenCode(ctx, r.spec(r.best, build.WorkingTree), r.w.Step)
	if err != nil {
		broken, ok := errors.AsType[*build.BuildError](err)
		if ctx.Err() != nil || !ok || broken.Variant != build.WorkingTree {
			return 0, err
		}
		fmt.Fprintln(r.o.Output, err)
		a.Answer = broke(broken.Output)
		return 0, nil
	}
	defer func() { err = errors.Join(err, code.Close()) }()
	match, err := result.MatchFunctions(spec.Bench)
	if err != nil {
		return 0, err
	}
	if functions := code.Functions(); len(functions) > 0 && !slices.ContainsFunc(functions, match) {
		return 0, session.NoneMatches(spec.Bench)
	}
	before, err := r.digest(ctx, code.Digest(0), r.best)
	if err == nil {
		a.Code, err = r.digest(ctx, code.Digest(1), r.tree)
	}
	if err != nil {
		return 0, err
	}
	if a.Code != "" && a.Code == before {
		a.Answer = Answer{Verdict: Revert, Reason: sameAsBest}
		return 0, nil
	}
	if known := r.session.KnownCode(a.Code); known != nil && known.N != a.N {
		a.Answer, a.Same = known.Answer, cmp.Or(known.Same, known.N)
		return a.Same, nil
	}
	if r.o.Test {
		if failed, err := r.test(ctx); err != nil || failed.Verdict == Failed {
			a.Answer = failed
			return 0, err
		}
	}
	r.hidden = heldOut(code.Functions(), r.o.HoldOut, filepath.Base(r.ledger.Folder))
	return 0, r.measure(ctx, a)
}

func (r *run) test(ctx context.Context) (failed Answer, err error) {
	r.w.Step("go test")
	args := append([]string{"test"}, session.TagFlags(r.o.Spec.Tags)...)
	cmd := process.Command(ctx, "go", append(args, r.o.Spec.Packages...)...)
	cmd.Dir = r.o.Spec.Dir
	out, err := process.Text(cmd)
	switch {
	case ctx.Err() != nil:
		return failed, context.Cause(ctx)
	case err == nil:
		return failed, nil
	}
	failed = Answer{Verdict: Failed, Reason: "tests fail"}
	if strings.Contains(out, " failed]\n") { // [build failed], [setup failed]
		failed = broke(out)
	}
	_, err = io.WriteString(r.o.Output, out)
	return failed, err
}

var compilerLine = regexp.MustCompile(`(?m)^\S+\.go:\d+.*$`)

func broke(output string) Answer {
	a := Answer{Verdict: Failed, Reason: "does not build"}
	line := compilerLine.FindString(output)
	if line == "" {
		line, _, _ = strings.Cut(output, "\n")
	}
	if line != "" {
		a.Reason += ": " + line
	}
	return a
}

// digest adds the test data of a tree to the digest of its machine code. The
// same code has the same answer only with the same data.
func (r *run) digest(ctx context.Context, code, tree string) (string, error) {
	if code == "" {
		return "", nil
	}
	data, err := r.trees.Digest(ctx, tree, "*/testdata/*", "testdata/*")
	return code[:16] + data, err
}

// spec compares two variants by the plan of the session, with the tests of the
// second one.
func (r *run) spec(old, new string) session.Spec {
	spec := r.o.Spec
	spec.Kind, spec.Builder, spec.Skip, spec.NewTests = "compare", r.builder, exactly(r.hidden), true
	spec.Variants = []build.Spec{{Label: old, Revision: old}, {Label: new, Revision: new}}
	return spec
}

func (r *run) folder(a *Attempt, what string) string {
	return filepath.Join(r.ledger.Folder, fmt.Sprintf("%04d-%s", a.N, what))
}

// removeBinaries removes the kept test binaries of a study. A hundred attempts
// would keep gigabytes.
func removeBinaries(folder string) error {
	var errs []error
	for _, pattern := range []string{"*.test", "*.test.json"} {
		files, err := fs.Glob(os.DirFS(folder), pattern)
		errs = append(errs, err)
		for _, f := range files {
			errs = append(errs, os.Remove(filepath.Join(folder, f)))
		}
	}
	return errors.Join(errs...)
}

func recorded(folder string) bool {
	info, err := os.Stat(filepath.Join(folder, "result.jsonl"))
	return err == nil && info.Size() > 0
}
