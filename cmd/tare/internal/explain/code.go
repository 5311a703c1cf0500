package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tarebench/tare/cmd/tare/internal/objcode"
)

// mark is the sign of a kind of cause in machine code: calls of functions with
// these prefixes. phrase describes the code.
type mark struct {
	kind     Kind
	phrase   string
	prefixes []string
}

// marks are tried in order. The first that fits a name decides.
var marks = []mark{
	{Compile, "compiles regular expressions", []string{"regexp.Compile", "regexp.MustCompile", "regexp.compile", "regexp/syntax."}},
	{PoolLost, "", []string{"sync.(*Pool)."}},
	{Lock, "locks or counts atomically", []string{
		"sync.(*Mutex).", "sync.(*RWMutex).", "internal/sync.(*Mutex).", "sync.(*Once).", "sync.(*Map).", "internal/sync.(*HashTrieMap",
		"sync/atomic.", "internal/runtime/atomic.Xadd", "internal/runtime/atomic.Cas",
	}},
	{Channel, "uses channels or goroutines", []string{
		"runtime.chan", "runtime.selectgo", "runtime.selectnb", "runtime.closechan", "runtime.makechan", "runtime.newproc",
		"sync.(*WaitGroup).", "runtime.Gosched",
	}},
	{Syscall, "calls the operating system", []string{"os.", "syscall.", "net.", "internal/poll.", "os/exec.", "io/ioutil.", "golang.org/x/sys/"}},
	{Reflection, "uses reflection", []string{"reflect.", "internal/reflectlite."}},
	{Defer, "defers calls that need a record", []string{"runtime.deferproc", "runtime.deferprocStack", "runtime.deferprocat", "runtime.deferrangefunc"}},
	{Concat, "joins strings", []string{"runtime.concatstring", "strings.Join"}},
	{Growth, "grows slices by append", []string{"runtime.growslice"}},
	{Map, "accesses maps", []string{"runtime.map", "runtime.makemap", "internal/runtime/maps."}},
	{Format, "formats text", []string{"fmt.", "log."}},
	{Clock, "reads the clock", []string{"time.Now", "time.now", "time.Since", "time.runtimeNow"}},
	{Allocation, "allocates", []string{
		"runtime.newobject", "runtime.newarray", "runtime.malloc", "runtime.makeslice", "runtime.convT", "runtime.rawstring",
		"runtime.rawbyteslice", "runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring", "runtime.intstring",
		"bytes.Clone", "strings.Clone", "slices.Clone",
	}},
	{Dynamic, "calls through interfaces or closures", []string{"runtime.typeAssert", "runtime.assertE2I", "runtime.interfaceSwitch"}},
	{Bounds, "checks bounds", []string{"runtime.panicIndex", "runtime.goPanicIndex", "runtime.panicSlice", "runtime.goPanicSlice", "runtime.panicBounds"}},
	{Division, "checks for division by zero", []string{"runtime.panicdivide"}},
	{Panic, "panics or recovers", []string{"runtime.gopanic", "runtime.gorecover"}},
	{Copy, "copies memory", []string{"runtime.duffcopy", "runtime.memmove", "runtime.wbMove", "runtime.typedmemmove", "runtime.typedslicecopy"}},
	{Clear, "clears memory", []string{"runtime.duffzero", "runtime.memclr", "runtime.wbZero", "runtime.typedmemclr"}},
	{WriteBarrier, "has write barriers", []string{"runtime.gcWriteBarrier", "runtime.wbZero"}},
}

// phrase describes a function with this kind of cause.
func (k Kind) phrase() string {
	return marks[slices.IndexFunc(marks, func(m mark) bool { return m.kind == k })].phrase
}

func kindOf(callee string) (Kind, bool) {
	for _, m := range marks {
		for _, prefix := range m.prefixes {
			if strings.HasPrefix(callee, prefix) {
				return m.kind, true
			}
		}
	}
	return "", false
}

// benchmarkCauses finds the causes in the machine code of two programs for a benchmark
// function ("BenchmarkDecode"). builtins come from [objcode.Builtins]. If all
// code that the benchmark can reach is the same, the only cause is [Layout]. If
// the programs were built in different ways, it is [Settings].
func benchmarkCauses(c *objcode.Comparison, benchmark string, builtins []string) []Cause {
	v := c.Benchmark(benchmark)
	switch {
	case v.Same:
		return []Cause{{Kind: Layout}}
	case c.Settings:
		return []Cause{{Kind: Settings, Subject: c.Why}}
	}
	causes := codeCauses(c.Functions(benchmark, builtins))
	if v.What == "data" && !slices.ContainsFunc(causes, func(c Cause) bool { return !c.neutral() }) {
		causes = append(causes, Cause{Kind: Data, Subject: v.Symbol})
	}
	return causes
}

// codeCauses finds causes in the old and new functions of
// [objcode.Comparison.Functions]. It does not look into the standard library,
// only at calls of it.
func codeCauses(old, new map[string]*objcode.Function) []Cause {
	old = withNamesOf(new, old)
	var causes []Cause
	var bodies []Cause
	for _, name := range names(old, new) {
		p := pair{old[name], new[name]}
		if isStandard(name) || p.old != nil && p.new != nil && !p.old.Changed && !p.new.Changed {
			continue
		}
		found := p.causes()
		causes = append(causes, found...)
		if p.old == nil || p.new == nil {
			continue
		}
		for _, c := range p.body() {
			c.spare = len(found) > 0
			bodies = append(bodies, c)
		}
	}
	causes = append(causes, bodies...)
	return withoutMoved(causes)
}

// isStandard reports whether a symbol belongs to the standard library: the first
// element of its import path has no dot.
func isStandard(symbol string) bool {
	first, _, found := strings.Cut(symbol, "/")
	if !found {
		// "runtime.newobject", "type:.eq.…", or a package of a module whose
		// path is one word.
		pkg, _, _ := strings.Cut(symbol, ".")
		return standardNames[pkg] || strings.HasPrefix(symbol, "type:") || strings.HasPrefix(symbol, "go:")
	}
	return !strings.Contains(first, ".") && (standardNames[first] || first == "internal" || first == "vendor")
}

// standardNames are the first elements of the paths of the standard library.
var standardNames = func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(`archive bufio builtin bytes cmp compress container context crypto database debug
		embed encoding errors expvar flag fmt go hash html image index io iter log maps math mime net os path plugin
		reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak`) {
		names[name] = true
	}
	return names
}()

// pair is an old and a new function. One of them may be nil.
type pair struct{ old, new *objcode.Function }

// cause makes a cause in the function.
func (p pair) cause(kind Kind, subject string, before, after int) Cause {
	at := cmp.Or(p.new, p.old)
	c := Cause{Kind: kind, Function: at.Name, Subject: subject, Old: before, New: after, File: at.File, Line: at.Line, alone: p.old == nil || p.new == nil}
	if p.old != nil {
		c.OldInstructions, c.was = p.old.Instructions, p.old.Name
	}
	if p.new != nil {
		c.NewInstructions, c.body = p.new.Instructions, p.new.Body
	}
	for _, f := range []*objcode.Function{p.new, p.old} {
		if f == nil || subject == "" {
			continue
		}
		if s, ok := f.Sites[subject]; ok {
			c.File, c.Line = s.File, s.Line
			break
		}
	}
	return c
}

// uses counts how often a function uses another, as a call or inlined.
func uses(f *objcode.Function, callee string) (calls, inlined int) {
	if f == nil {
		return 0, 0
	}
	return f.Calls[callee], f.Inlined[callee]
}

// callees lists the callees of both variants.
func (p pair) callees() []string {
	var counts []map[string]int
	for _, f := range []*objcode.Function{p.old, p.new} {
		if f != nil {
			counts = append(counts, f.Calls, f.Inlined)
		}
	}
	return names(counts...)
}

// places are the places of calls in two functions: all of them, those in a loop, in
// two loops, and so on.
type places [2][]int

// add adds the places of a callee.
func (n *places) add(p pair, callee string) {
	for side, f := range []*objcode.Function{p.old, p.new} {
		if f == nil {
			continue
		}
		for deep, more := range append([]int{f.Calls[callee] + f.Inlined[callee]}, f.Loops[callee]...) {
			for len(n[side]) <= deep {
				n[side] = append(n[side], 0)
			}
			n[side][deep] += more
		}
	}
}

// differ are the numbers of places that differ, and in how many loops those are. If
// code moved into a loop, what is in the loop counts, whatever happened outside.
func (n places) differ() (old, new, loops int) {
	at := func(side, deep int) int {
		if deep < len(n[side]) {
			return n[side][deep]
		}
		return 0
	}
	old, new = at(0, 0), at(1, 0)
	for deep := max(len(n[0]), len(n[1])) - 1; deep > 0; deep-- {
		if x, y := at(0, deep), at(1, deep); x != y && (old == new || x < y != (old < new)) {
			return x, y, deep
		}
	}
	return old, new, 0
}

// causes finds the causes in one function.
func (p pair) causes() []Cause {
	var causes []Cause
	var came, went []string
	counted := make(map[Kind]places)
	more, less := make(map[Kind]string), make(map[Kind]string) // more frequent and less frequent uses
	for _, callee := range p.callees() {
		oldCalls, oldInlined := uses(p.old, callee)
		newCalls, newInlined := uses(p.new, callee)
		if kind, ok := kindOf(callee); ok {
			n := counted[kind]
			n.add(p, callee)
			counted[kind] = n
			var one places
			one.add(p, callee)
			switch before, after, _ := one.differ(); {
			case before < after:
				more[kind] = cmp.Or(more[kind], callee)
			case before > after:
				less[kind] = cmp.Or(less[kind], callee)
			}
			continue
		}
		switch {
		case internalToRuntime(callee):
		case oldInlined > newInlined && newCalls > oldCalls, oldInlined < newInlined && newCalls < oldCalls:
			c := p.cause(Inlining, callee, oldCalls, newCalls)
			for _, f := range []*objcode.Function{p.old, p.new} {
				if f != nil {
					c.Loops = max(c.Loops, len(f.Loops[callee]))
				}
			}
			causes = append(causes, c)
		case oldCalls+oldInlined == 0:
			came = append(came, callee)
		case newCalls+newInlined == 0:
			went = append(went, callee)
		default:
			var n places
			n.add(p, callee)
			if before, after, loops := n.differ(); loops > 0 {
				c := p.cause(Callee, callee, before, after)
				c.Loops = loops
				causes = append(causes, c)
			}
		}
	}
	for _, m := range marks {
		before, after, loops := counted[m.kind].differ()
		switch {
		case (p.old == nil || p.new == nil) && slices.Contains(partOfCode, m.kind): // it is new or gone
		case before != after:
			c := p.cause(m.kind, cmp.Or(more[m.kind], less[m.kind]), before, after)
			if after < before && less[m.kind] != "" {
				c = p.cause(m.kind, less[m.kind], before, after)
			}
			c.Loops = loops
			causes = append(causes, c)
		case more[m.kind] != "" && less[m.kind] != "" && !slices.Contains(interchangeable, m.kind):
			c := p.cause(m.kind, more[m.kind], before, after)
			c.Instead = less[m.kind]
			causes = append(causes, c)
		}
	}
	if p.old == nil || p.new == nil {
		return causes // its callers report it
	}
	if p.old.Indirect != p.new.Indirect {
		causes = append(causes, p.cause(Dynamic, "", p.old.Indirect, p.new.Indirect))
	}
	// Calls come before inlined functions, which are often small.
	called := func(f *objcode.Function) func(a, b string) int {
		return func(a, b string) int { return cmp.Compare(min(1, f.Calls[b]), min(1, f.Calls[a])) }
	}
	slices.SortStableFunc(came, called(p.new))
	slices.SortStableFunc(went, called(p.old))
	if len(came) > 0 && len(went) > 0 {
		c := p.cause(OtherCallee, came[0], 0, 1)
		c.Instead = went[0]
		causes = append(causes, c)
		came, went = came[1:], went[1:]
	}
	for _, callee := range slices.Concat(came, went) {
		oldCalls, oldInlined := uses(p.old, callee)
		newCalls, newInlined := uses(p.new, callee)
		if oldCalls+newCalls > 0 || isStandard(callee) {
			causes = append(causes, p.cause(Callee, callee, oldCalls+oldInlined, newCalls+newInlined))
		} else { // an inlined function may have been constant before
			causes = append(causes, p.cause(Body, callee, 0, 0))
		}
	}
	return causes
}

// internalToRuntime reports whether only the runtime calls a function by its name, or
// benchmarks do to be measured.
func internalToRuntime(callee string) bool {
	if strings.HasPrefix(callee, "testing.") {
		return true
	}
	name, ok := strings.CutPrefix(callee, "runtime.")
	return ok && (name == "" || !unicode.IsUpper(rune(name[0])))
}

// partOfCode are the kinds that are in most functions.
var partOfCode = []Kind{Bounds, Division, Copy, Clear, WriteBarrier, Panic}

// interchangeable are the kinds for which other functions, in as many places, are no
// cause.
var interchangeable = []Kind{Bounds, Division, WriteBarrier, Copy, Clear, Allocation, Defer, Dynamic, Growth, Panic, PoolLost}

// body describes how a function changed, and which type grew or shrank most. A copy
// of much is a loop, so the loads in loops decide if they differ.
func (p pair) body() []Cause {
	differs := func(before, after int) bool { return max(before, after)-min(before, after) >= largeCopy }
	var c Cause
	switch {
	case differs(p.old.MovesInLoops, p.new.MovesInLoops):
		c = p.cause(Copy, "", p.old.MovesInLoops, p.new.MovesInLoops)
		c.Loops = 1
	case differs(p.old.Moves, p.new.Moves):
		c = p.cause(Copy, "", p.old.Moves, p.new.Moves)
	case p.old.Instructions != p.new.Instructions:
		c = p.cause(Body, "", 0, 0)
	case p.old.Instructions > 0 && !p.old.SameOperands(p.new):
		c = p.cause(Operands, "", 0, 0)
	default:
		return nil
	}
	most := 0
	for _, name := range names(p.old.Types) {
		x, y := p.old.Types[name], p.new.Types[name]
		if size := max(x, y) - min(x, y); y > 0 && size > most && !isStandard(name) {
			most, c.Type, c.OldSize, c.NewSize = size, name, x, y
		}
	}
	return []Cause{c}
}

// largeCopy is the number of 16-byte loads that a few more variables do not cause.
const largeCopy = 4

// names lists the keys of all maps, sorted.
func names[V any](of ...map[string]V) []string {
	all := make(map[string]bool)
	for _, m := range of {
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
