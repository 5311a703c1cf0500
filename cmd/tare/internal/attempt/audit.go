package attempt

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/tarebench/tare/cmd/tare/internal/audit"
	"github.com/tarebench/tare/cmd/tare/internal/build"
	"github.com/tarebench/tare/cmd/tare/internal/catalog"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/internal/finding"
)

const auditBlocks = 16

// Audit compares the working tree with the base of its attempt, or with the
// best tree if there was no attempt. It reports work that moved elsewhere. An
// audit is not an attempt: it gives no answer and spends no level.
func Audit(ctx context.Context, o Options, w session.Watcher) (found []finding.Finding, err error) {
	r, release, err := open(ctx, o, w)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if r.ledger == nil {
		return nil, errNoSession
	}
	if err := r.adopt(ctx); err != nil {
		return nil, err
	}
	r.session = r.ledger.Session()
	if r.tree, err = r.trees.Snapshot(ctx); err != nil {
		return nil, err
	}
	before := r.session.Best()
	if a := r.session.Known(r.tree); a != nil {
		before = a.Best
	}
	spec := r.spec(before, build.WorkingTree)
	spec.Folder, spec.MaxBlocks = filepath.Join(r.ledger.Folder, "audit"), min(spec.MaxBlocks, auditBlocks)
	m, err := session.Open(ctx, spec, w)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close(), removeBinaries(spec.Folder)) }()
	if err := m.Run(ctx); err != nil {
		return nil, err
	}
	if err := audit.Record(ctx, m, w); err != nil {
		return nil, err
	}
	for _, f := range m.Recording().Findings {
		if slices.ContainsFunc(catalog.Audit(), func(k finding.Kind) bool { return k.Is(f) }) {
			found = append(found, f)
		}
	}
	return found, nil
}
