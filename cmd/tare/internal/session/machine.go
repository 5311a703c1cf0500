package session

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/kind"
	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// lookAtMachine reads the facts of the machine and what makes it unfit.
func lookAtMachine(ctx context.Context, host Host, dir string) (result.Machine, []finding.Finding) {
	var unfit []finding.Finding
	o := machine.Observe(host.Tree, nil)
	if settings, err := machine.GoSettings(ctx, output, os.Getenv); err == nil {
		o.Machine.Go = settings
		o.BuildFlags = strings.Fields(settings["GOFLAGS"])
	}
	o.Disks = machine.DisksOf(dir, os.TempDir())
	for _, f := range machine.Findings(&o) {
		if f.Severity != finding.Info {
			unfit = append(unfit, f)
		}
	}
	return o.Machine, unfit
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, name, args...).Output()
}

// disturbances looks at the machine's counters around each block, and keeps the
// findings for the report.
type disturbances struct {
	tree fs.FS // whose counters are read

	blocks    int
	disturbed map[string]int // blocks by what disturbed them
	last      map[string]finding.Finding
}

// bracket is called before a block; what it returns is called after it.
func (d *disturbances) bracket() func() string {
	before := machine.Snapshot(d.tree)
	return func() string {
		unreadable, findings := machine.Snapshot(d.tree).Since(before)
		d.add(findings)
		return unreadable
	}
}

func (d *disturbances) add(findings []finding.Finding) {
	d.blocks++
	if d.disturbed == nil {
		d.disturbed, d.last = map[string]int{}, map[string]finding.Finding{}
	}
	for _, f := range findings {
		d.disturbed[f.ID]++
		d.last[f.ID] = f
	}
}

// findings returns a finding for each disturbance that at least half of the blocks
// had. Rarer ones are on both sides of a few blocks.
func (d *disturbances) findings() []finding.Finding {
	var all []finding.Finding
	for _, id := range slices.Sorted(maps.Keys(d.disturbed)) {
		if 2*d.disturbed[id] < d.blocks {
			continue
		}
		last := d.last[id]
		all = append(all, kind.DisturbedBlocks.Of(last.Subject, finding.Count("blocks", d.disturbed[id], ""), finding.Count("all", d.blocks, "block"),
			finding.Text("why", last.Message), finding.Text("action", last.Action)))
	}
	return all
}
