package export

import (
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/report/words"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// current is one value of the newest variant: what trackers of history keep.
type current struct {
	key   result.Key
	row   string
	unit  string
	value result.Estimate
}

// currents lists the values of the new side, or of the run, without what
// failed.
func currents(d report.Document) []current {
	var all []current
	if c := d.Comparison; c != nil {
		for i := range c.Benchmarks {
			if b := &c.Benchmarks[i]; words.Known(b.New.Center) && b.New.N > 0 {
				all = append(all, current{b.Key, b.Row, b.Unit, b.New})
			}
		}
		return all
	}
	for i := range d.Run.Benchmarks {
		if m := &d.Run.Benchmarks[i]; m.Failed == "" && words.Known(m.Value.Center) {
			all = append(all, current{m.Key, m.Row, m.Unit, m.Value})
		}
	}
	return all
}

// fullName distinguishes benchmarks of several packages.
func (c current) fullName() string {
	name := words.RowName(c.key, c.row)
	if c.key.Pkg != "" {
		name = c.key.Pkg + "." + name
	}
	return words.Printable(name)
}
