package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Keep adds a finished comparison to a history: a study for each variant
// compared with the first. left lists the skipped studies with the reason.
func Keep(ctx context.Context, store store, repo Repository, c result.Comparison, now time.Time) (rows int, left []string, err error) {
	studies, left, err := repo.studies(ctx, c, now)
	if err != nil {
		return 0, left, err
	}
	for _, study := range studies {
		if _, err := add(ctx, store, Entry{Study: &study}, now); err != nil {
			return rows, left, keptIn(c.Folder, err)
		}
		rows += len(study.Rows)
	}
	return rows, left, nil
}

func (r Repository) studies(ctx context.Context, c result.Comparison, created time.Time) (list []Study, left []string, err error) {
	for v := 1; v < len(c.Variants); v++ {
		old, why, err := r.side(ctx, c.Variants[0])
		if err != nil {
			return nil, left, err
		}
		new, whyNew, err := r.side(ctx, c.Variants[v])
		if err != nil {
			return nil, left, err
		}
		why = cmp.Or(why, whyNew)
		if why == "" && old.Hash == new.Hash && old.Variant == new.Variant {
			why = "both variants are commit " + old.Hash[:min(10, len(old.Hash))]
		}
		study := studyOf(c, v, old, new, created)
		if why == "" && len(study.Rows) == 0 {
			why = "no benchmark has an interval"
		}
		if why != "" {
			left = append(left, why)
			continue
		}
		list = append(list, study)
	}
	return list, left, nil
}

func (r Repository) side(ctx context.Context, v result.Variant) (c Commit, why string, err error) {
	switch {
	case v.Dirty:
		return c, v.Label + " has changes that are not committed", nil
	case v.Revision == "" || len(v.Files) > 0:
		return c, v.Label + " is not a commit", nil
	}
	c, err = r.Commit(ctx, v.Revision)
	_, c.Variant, _ = strings.Cut(v.Label, ",")
	return c, "", err
}

// studyOf turns the comparison of variant v with the first into a study: the
// rows with an estimate and an interval, and the rows of the same code.
func studyOf(c result.Comparison, v int, old, new Commit, now time.Time) Study {
	s := Study{Created: now.UTC(), Method: result.Method, Machine: fingerprint(c.Machine), Measurement: c.Measurement, Old: old, New: new}
	// A history has intervals at 95%, at any level of the test.
	wide := 1.0
	if c.Alpha > 0 && c.Alpha < 1 {
		wide = math.Erfcinv(0.05) / math.Erfcinv(c.Alpha)
	}
	for _, b := range c.Benchmarks {
		if b.OldVariant != 0 || b.NewVariant != v {
			continue
		}
		row := Row{Pkg: b.Pkg, Name: b.Name, Unit: b.Unit, Blocks: b.Blocks, Verdict: string(b.Verdict)}
		if b.Reason == result.ReasonSameCode {
			row.SameCode = true
			s.Rows = append(s.Rows, row)
			continue
		}
		if b.P != nil {
			row.P = *b.P
		}
		if !(b.Change.Lo > 0 && b.Change.Hi > 0) || math.IsInf(b.Change.Hi, 0) || b.Blocks == 0 {
			continue
		}
		row.LogRatio, row.SE = logOf(b.Change.Ratio), b.SE
		row.Lo = row.LogRatio + wide*min(0, logOf(b.Change.Lo)-row.LogRatio)
		row.Hi = row.LogRatio + wide*max(0, logOf(b.Change.Hi)-row.LogRatio)
		s.Rows = append(s.Rows, row)
	}
	slices.SortFunc(s.Rows, func(a, b Row) int { return compareKeys(a.Key(), b.Key()) })
	// A comparison has a row for each number of CPUs. A history has the first
	// one.
	s.Rows = slices.CompactFunc(s.Rows, func(a, b Row) bool { return a.Key() == b.Key() })
	return s
}

func logOf(ratio float64) float64 {
	v := math.Log(ratio)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// fingerprint identifies a machine by the properties that change its speed:
// CPU, cores, kernel and hypervisor. Machines of one kind share it.
func fingerprint(m *result.Machine) string {
	if m == nil {
		return "unknown"
	}
	text := fmt.Sprintf("%s %s, %d CPUs, %s, %s/%s", m.CPU.Vendor, m.CPU.Model, m.CPU.Threads, m.Virtual, m.OS, m.Arch)
	sum := sha256.Sum256([]byte(text + m.Kernel))
	return strings.Join(strings.Fields(text), " ") + " #" + hex.EncodeToString(sum[:4])
}

func keptIn(folder string, err error) error {
	if folder == "" {
		return err
	}
	return fmt.Errorf("%w: the study is kept in %s", err, folder)
}
