package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/doctor"
	"github.com/tarebench/tare/internal/machine"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/tune"
)

// lookAtMachine gathers the facts that a study records, and what stands in
// the way of measuring as far as it shows at once. It takes no window, so
// load and steal are the doctor's to judge; notes (findings of severity info)
// are the doctor's too.
func lookAtMachine(ctx context.Context, dir string) (result.Machine, []finding.Finding) {
	// A failed repair must not keep anybody from measuring: the doctor says it.
	_, _ = tune.Repair("/")
	o := doctor.Observe(os.DirFS("/"), nil)
	if settings, err := machine.GoSettings(ctx, output, os.Getenv); err == nil {
		o.Machine.Go = settings
		o.BuildFlags = strings.Fields(settings["GOFLAGS"])
	}
	o.Disks = doctor.DisksOf(dir, os.TempDir())
	var grave []finding.Finding
	for _, f := range doctor.Findings(&o) {
		if f.Severity != finding.Info {
			grave = append(grave, f)
		}
	}
	return o.Machine, grave
}

// disturbances looks at the machine's counters around each block, and keeps
// what spoiled blocks for the report.
type disturbances struct {
	machine fs.FS // whose counters are read

	blocks int
	spoilt map[string]int // blocks by what spoiled them
	last   map[string]finding.Finding
}

// bracket is called before a block; what it returns is called after it.
func (d *disturbances) bracket() func() string {
	before := machine.Snapshot(d.machine)
	return func() string {
		what, findings := machine.Snapshot(d.machine).Since(before)
		d.add(what, findings)
		return what
	}
}

func (d *disturbances) add(what string, findings []finding.Finding) {
	d.blocks++
	if what == "" {
		return
	}
	if d.spoilt == nil {
		d.spoilt, d.last = map[string]int{}, map[string]finding.Finding{}
	}
	for _, f := range findings {
		d.spoilt[f.ID]++
		d.last[f.ID] = f
	}
}

// findings says, for each thing that spoiled blocks, how many of them and what
// the last one suffered. The study measured others in their place.
func (d *disturbances) findings() []finding.Finding {
	var all []finding.Finding
	for _, id := range slices.Sorted(maps.Keys(d.spoilt)) {
		f := d.last[id]
		f.Severity = finding.Warning
		f.Message = fmt.Sprintf("%d of %d blocks were spoiled and do not count; the last one: %s", d.spoilt[id], d.blocks, f.Message)
		all = append(all, f)
	}
	return all
}

// before wraps the writer of a study: ahead of its last line it puts unfit and
// what spoiled blocks, if anything was measured that they could bear on.
func (d *disturbances) before(unfit []finding.Finding, write func(result.Line) error) func(result.Line) error {
	return func(l result.Line) error {
		if l.End == nil || d.blocks == 0 {
			return write(l)
		}
		for _, f := range append(unfit, d.findings()...) {
			if err := write(result.Line{Finding: &f}); err != nil {
				return err
			}
		}
		return write(l)
	}
}
