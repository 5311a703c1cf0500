package history

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Graph is a loaded history: commits and the comparisons between them.
type Graph struct {
	// Commits are first the commits of the line, in its order, then the others
	// by time.
	Commits []Commit
	// Line is the number of commits on the line.
	Line  int
	index map[string]int // by hash
	// edges and decisions belong to each series. same has the edges of the same
	// code of each benchmark.
	edges     map[Key][]Edge
	same      map[benchmark][]Edge
	decisions map[Key][]Decision
	online    online
}

type benchmark struct{ pkg, name string }

// NewGraph numbers the commits of a history. line has the hashes of the branch,
// the oldest first. If it is empty, time orders all commits.
func NewGraph(files []File, line []string) *Graph {
	g := &Graph{index: make(map[string]int), edges: make(map[Key][]Edge), same: make(map[benchmark][]Edge),
		decisions: make(map[Key][]Decision)}
	known := make(map[string]Commit)
	for _, f := range files {
		if f.Study == nil {
			continue
		}
		for _, c := range []Commit{f.Study.Old, f.Study.New} {
			if old := known[c.Hash]; c.Hash != "" && c.Variant == "" && old.Subject == "" {
				known[c.Hash] = c
			}
		}
	}
	place := func(c Commit) {
		g.index[c.Hash] = len(g.Commits)
		g.Commits = append(g.Commits, c)
		delete(known, c.Hash)
	}
	for _, hash := range line {
		if c, ok := known[hash]; ok {
			place(c)
		}
	}
	g.Line = len(g.Commits)
	rest := slices.SortedFunc(maps.Values(known), func(a, b Commit) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Hash, b.Hash))
	})
	for _, c := range rest {
		place(c)
	}
	if len(line) == 0 {
		g.Line = len(g.Commits)
	}
	last := make(map[measured]int) // the file that counts
	for i, f := range files {
		if f.Study != nil {
			last[f.Study.measured()] = i
		}
	}
	for i, f := range files {
		if f.Study != nil && (f.Study.Measurement == "" || last[f.Study.measured()] == i) {
			g.note(f.Study)
		}
	}
	decisions, online := replay(files)
	for _, d := range decisions {
		g.decisions[d.Key()] = append(g.decisions[d.Key()], d)
	}
	g.online = online
	return g
}

func (g *Graph) note(s *Study) {
	old, oldOK := g.index[s.Old.Hash]
	new, newOK := g.index[s.New.Hash]
	apart := !oldOK || !newOK || s.Old.Variant != "" || s.New.Variant != "" || old == new
	for _, r := range s.Rows {
		key := r.Key()
		if _, known := g.edges[key]; !known {
			g.edges[key] = nil // a series, even without a place for the edge
		}
		if apart {
			continue
		}
		e := Edge{Old: old, New: new, LogRatio: r.LogRatio, Blocks: r.Blocks}
		if r.SameCode {
			g.same[benchmark{r.Pkg, r.Name}] = append(g.same[benchmark{r.Pkg, r.Name}], e)
			continue
		}
		// A difference over its standard error is Student's t. Its variance is
		// above 1 after few blocks.
		degrees := max(3, e.degrees())
		e.SD = max(r.SE*math.Sqrt(degrees/(degrees-2)), leastSD)
		g.edges[key] = append(g.edges[key], e)
	}
}

// of returns the edges of a series. Edges of the same code apply to every unit.
func (g *Graph) of(key Key) []Edge {
	return slices.Concat(g.edges[key], g.same[benchmark{key.Pkg, key.Name}])
}

// Find is the number of a commit by its hash or a unique prefix of it, or -1.
func (g *Graph) Find(hash string) int {
	found := -1
	for i, c := range g.Commits {
		if len(hash) >= 4 && len(hash) <= len(c.Hash) && c.Hash[:len(hash)] == hash {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// Keys are the benchmarks of the history.
func (g *Graph) Keys() []Key {
	return slices.SortedFunc(maps.Keys(g.edges), compareKeys)
}

// Past is the number of changes of a benchmark, and the newest commit of the
// line in a comparison of it, or -1.
func (g *Graph) Past(key Key) (changes, last int) {
	for _, d := range g.decisions[key] {
		if d.Found {
			changes++
		}
	}
	last = -1
	for _, e := range g.of(key) {
		for _, k := range []int{e.Old, e.New} {
			if k < g.Line {
				last = max(last, k)
			}
		}
	}
	return changes, last
}

// Compared reports whether a comparison of a benchmark joins two commits or
// others with their code.
func (g *Graph) Compared(key Key, a, b string) bool {
	i, known := g.index[a]
	j, also := g.index[b]
	if !known || !also {
		return false
	}
	same := newSets(len(g.Commits))
	for _, e := range g.of(key) {
		if e.SD == 0 {
			same.join(e.Old, e.New)
		}
	}
	i, j = same.root(i), same.root(j)
	return i == j || slices.ContainsFunc(g.of(key), func(e Edge) bool {
		old, new := same.root(e.Old), same.root(e.New)
		return old == i && new == j || old == j && new == i
	})
}

// Change is a confirmed step of a series.
type Change struct {
	Decision
	// At is the number of the commit.
	At int
}

// Series is the history of one benchmark.
type Series struct {
	Key
	Levels
	Edges []Edge
	// Changes are confirmed. Candidates are to be measured.
	Changes    []Change
	Candidates []Candidate
}

// Series solves the levels of a benchmark relative to commit reference.
func (g *Graph) Series(key Key, reference int) Series {
	s := Series{Key: key, Edges: g.of(key)}
	s.Levels = solve(len(g.Commits), s.Edges, reference)
	for _, d := range g.decisions[key] {
		at, ok := g.index[d.Commit]
		again := slices.ContainsFunc(s.Changes, func(c Change) bool { return c.At == at })
		if ok && d.Found && !again {
			s.Changes = append(s.Changes, Change{Decision: d, At: at})
		}
	}
	slices.SortStableFunc(s.Changes, func(a, b Change) int { return a.At - b.At })
	s.Candidates = g.Candidates(key)
	return s
}

// Candidates are the undecided commits of the line at which the levels of a
// benchmark seem to step.
func (g *Graph) Candidates(key Key) []Candidate {
	var decided []int
	tries := make(map[int]int)
	for _, d := range g.decisions[key] {
		if at, ok := g.index[d.Commit]; ok && d.Undecided {
			tries[at]++
		} else if ok {
			decided = append(decided, at)
		}
	}
	line := slices.DeleteFunc(g.of(key), func(e Edge) bool { return e.Old >= g.Line || e.New >= g.Line })
	candidates := screen(g.Line, line, decided)
	for i, c := range candidates {
		candidates[i].Tries = tries[c.Commit]
	}
	return candidates
}

// online is the state of the error control after all decisions so far.
func (g *Graph) Online() online { return g.online }

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Pkg, b.Pkg), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Unit, b.Unit))
}
