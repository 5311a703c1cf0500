package histogram

import "github.com/tarebench/tare/internal/shard"

// Sharded is a histogram for many writers at once: each counts in a shard of
// its own as far as there are enough, and nobody waits while one is free.
type Sharded struct {
	options Options
	shards  *shard.Set[*Histogram]
}

// NewSharded makes a sharded histogram of this size: four times GOMAXPROCS
// shards, each allocated when it is first needed.
func (o Options) NewSharded() (*Sharded, error) {
	if _, err := o.New(); err != nil {
		return nil, err
	}
	return &Sharded{o, shard.New(func() *Histogram { return nil })}, nil
}

// Record counts one value. It is safe for concurrent use.
func (s *Sharded) Record(v int64) {
	cell := s.shards.Lock()
	if cell.Value == nil {
		cell.Value = s.empty()
	}
	cell.Value.Record(v)
	cell.Unlock()
}

// Merged returns a histogram of all values so far. It is safe for concurrent
// use with Record.
func (s *Sharded) Merged() *Histogram {
	all := s.empty()
	for h := range s.shards.All() {
		if *h != nil {
			_ = all.Merge(*h) // made with the same options: cannot fail
		}
	}
	return all
}

func (s *Sharded) empty() *Histogram {
	h, _ := s.options.New() // NewSharded has found the options valid
	return h
}
