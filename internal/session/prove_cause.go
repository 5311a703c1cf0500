package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/explain"
	"github.com/tarebench/tare/internal/hostlock"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/variant"
)

// proveCause takes the first cause of a benchmark whose file was changed away
// and measures again: the file is taken back to what it is in the first variant, in an
// overlay, and the working tree without it is compared with the working tree as
// it is, in lockstep. It does nothing where the other variant is no working
// tree, and where no file of the cause differs.
func (c *codes) proveCause(ctx context.Context, spec Spec, e *explain.Explanation, w Watcher) error {
	if len(e.Causes) == 0 || spec.Variants[e.NewVariant].Revision != variant.WorkingTree {
		return nil
	}
	old, new := c.sides.list[0], c.sides.list[e.NewVariant]
	var cause *explain.Cause
	var rel, before string
	for i := range e.Causes {
		var err error
		rel, err = filepath.Rel(new.Root(), e.Causes[i].File)
		if new.Root() == "" || old.Root() == "" || err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		before = filepath.Join(old.Root(), rel)
		if same, err := sameContent(before, e.Causes[i].File); err == nil && !same {
			cause = &e.Causes[i]
			break
		}
	}
	if cause == nil {
		return nil
	}
	overlay := filepath.Join(c.scratch, "taken-back.json")
	data, err := json.Marshal(map[string]map[string]string{"Replace": {cause.File: before}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, data, 0o666); err != nil {
		return fmt.Errorf("prove cause: %w", err)
	}
	without := spec.Variants[e.NewVariant]
	without.Flags = append(slices.Clone(without.Flags), "-overlay="+overlay)
	without.Label += ",flags=-overlay=" + overlay
	row, err := measureAgain(ctx, spec, e.Key, without, spec.Variants[e.NewVariant], w)
	if err != nil {
		return fmt.Errorf("prove cause of %s: take %s back: %w", e.Name, rel, err)
	}
	p := &explain.Proof{Flip: "old-file", File: rel, Explained: row.Change.Ratio - 1, Lo: row.Change.Lo - 1, Hi: row.Change.Hi - 1}
	found := row.Verdict == result.Faster || row.Verdict == result.Slower
	p.Cause = found
	if known := e.Change.Ratio; known == known { // not NaN
		p.Of = known - 1
		p.Cause = found && p.Explained/p.Of >= 0.5
	}
	if p.Lo == p.Lo && p.Hi == p.Hi && p.Explained == p.Explained {
		cause.Proof = p
	}
	return nil
}

func sameContent(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return bytes.Equal(x, y), err
}

// measureAgain compares two variants by one benchmark and returns its row of
// time.
func measureAgain(ctx context.Context, spec Spec, key result.Key, old, new variant.Spec, w Watcher) (row result.BenchmarkComparison, err error) {
	spec.Kind, spec.Variants, spec.Packages, spec.MeasureAll = "compare", []variant.Spec{old, new}, []string{key.Pkg}, true
	var levels []string
	for level := range strings.SplitSeq("Benchmark"+key.Name, "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
	}
	spec.Bench, spec.Skip, spec.resumed, spec.Profiles, spec.Instructions = strings.Join(levels, "/"), "", nil, nil, false
	spec.Lock = cmp.Or(spec.Lock, hostlock.Wait)
	run, err := Open(ctx, spec, w)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	if err := run.Run(ctx); err != nil {
		return row, err
	}
	for _, row := range run.Comparison().Benchmarks {
		if row.Unit == "sec/op" && row.Verdict != result.Failed && row.Verdict != result.Missing {
			return row, nil
		}
	}
	return row, errors.New("it gave no time")
}
