package attempt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

var errNoSession = errors.New("no session is open: tare try begins one")

// Log returns the state of a session from its ledger: the one in folder, or the newest.
func Log(dir, folder string) (s Session, at string, err error) {
	root, err := session.MakeRoot(dir)
	if err != nil {
		return s, "", err
	}
	if root = filepath.Join(root, "try"); folder == "" {
		files := ledgers(root)
		if len(files) == 0 {
			return s, "", errNoSession
		}
		folder = filepath.Join(root, filepath.Dir(slices.Max(files)))
	}
	l, err := read(folder)
	if err != nil {
		return s, "", err
	}
	return l.Session(), l.Folder, nil
}

// Check compares the best tree with the first one in new blocks. If end is set,
// it closes the session. The estimate has no selection bias, because none of
// its blocks decided about an edit.
func Check(ctx context.Context, o Options, end bool, w session.Watcher) (s Session, folder string, err error) {
	r, release, err := open(ctx, o, w)
	if err != nil {
		return s, "", err
	}
	defer func() { err = errors.Join(err, release()) }()
	if r.ledger == nil {
		return s, "", errNoSession
	}
	s, r.o.Typed = r.ledger.Session(), false
	if len(s.Kept()) > 0 && s.Total == nil {
		if err := r.adopt(ctx); err != nil {
			return s, r.ledger.Folder, err
		}
		if err := r.total(ctx, s); err != nil {
			return s, r.ledger.Folder, err
		}
	}
	if end {
		if err := r.ledger.Add(Line{End: &End{At: time.Now().UTC()}}); err != nil {
			return s, r.ledger.Folder, err
		}
	}
	return r.ledger.Session(), r.ledger.Folder, nil
}

// total measures the first tree and the best one.
func (r *run) total(ctx context.Context, s Session) (err error) {
	spec := r.o.Spec
	unlock, err := machine.Lock(ctx, spec.Lock, func(holder string) { r.w.Notice("waiting: " + holder + " measures on this machine now") })
	if err != nil {
		return err
	}
	defer unlock()
	r.builder = spec.NewBuilder(r.w.Step)
	defer func() { err = errors.Join(err, r.builder.Close()) }()
	spec = r.spec(s.Baseline.Commit, s.Best())
	spec.Lock, spec.Delta = machine.LockOff, r.o.Want
	spec.Folder = filepath.Join(r.ledger.Folder, fmt.Sprintf("%04d-total", len(s.Attempts)))
	code, err := session.OpenCode(ctx, spec, r.w.Step)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, code.Close()) }()
	hidden := heldOut(code.Functions(), r.o.HoldOut, filepath.Base(r.ledger.Folder))
	undecided := func(b result.BenchmarkComparison) bool { return b.Verdict == result.Undecided }
	c, _, err := r.study(ctx, spec, r.w, func(c result.Comparison) bool { return !slices.ContainsFunc(primary(c), undecided) })
	if err != nil {
		return err
	}
	total := &Total{At: time.Now().UTC(), Old: s.Baseline.Commit, New: s.Best(), Folder: spec.Folder}
	for _, b := range primary(c) {
		if b.Blocks == 0 && b.Reason != result.ReasonSameCode {
			continue
		}
		row := Row{b.Key, b.Unit, b.Change}
		if top, _, _ := strings.Cut(b.Name, "/"); slices.Contains(hidden, top) {
			total.HeldOut = append(total.HeldOut, row)
		} else {
			total.Rows = append(total.Rows, row)
		}
	}
	return r.ledger.Add(Line{Total: total})
}

// Claims returns the product of the kept changes of each benchmark.
func (s Session) Claims() (rows []Row) {
	for _, a := range s.Kept() {
		for _, row := range a.Rows {
			i := slices.IndexFunc(rows, func(r Row) bool { return r.Key == row.Key && r.Unit == row.Unit })
			if i < 0 {
				rows = append(rows, row)
				continue
			}
			c := &rows[i].Change
			c.Ratio, c.Lo, c.Hi = c.Ratio*row.Change.Ratio, c.Lo*row.Change.Lo, c.Hi*row.Change.Hi
		}
	}
	return rows
}
