package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tarebench/tare/internal/samecode"
)

// mark is how a kind of cause shows in machine code: in calls of functions
// whose name begins so.
type mark struct {
	kind     Kind
	prefixes []string
}

// marks are tried in order; the first that fits a name decides.
var marks = []mark{
	{Compile, []string{"regexp.Compile", "regexp.MustCompile", "regexp.compile", "regexp/syntax."}},
	{PoolLost, []string{"sync.(*Pool)."}},
	{Lock, []string{
		"sync.(*Mutex).", "sync.(*RWMutex).", "internal/sync.(*Mutex).", "sync.(*Once).", "sync.(*Map).", "internal/sync.(*HashTrieMap",
		"sync/atomic.", "internal/runtime/atomic.Xadd", "internal/runtime/atomic.Cas", "sync.(*WaitGroup).",
	}},
	{Channel, []string{
		"runtime.chan", "runtime.selectgo", "runtime.selectnb", "runtime.closechan", "runtime.makechan", "runtime.newproc",
	}},
	{Syscall, []string{"os.", "syscall.", "net.", "internal/poll.", "os/exec.", "io/ioutil.", "golang.org/x/sys/"}},
	{Reflection, []string{"reflect.", "internal/reflectlite."}},
	{Defer, []string{"runtime.deferproc", "runtime.deferprocStack", "runtime.deferprocat", "runtime.deferrangefunc"}},
	{Concat, []string{"runtime.concatstring", "strings.Join"}},
	{Growth, []string{"runtime.growslice"}},
	{Map, []string{"runtime.map", "internal/runtime/maps."}},
	{Format, []string{"fmt.", "log."}},
	{Clock, []string{"time.Now", "time.now", "time.Since", "time.runtimeNow"}},
	{Allocation, []string{
		"runtime.newobject", "runtime.newarray", "runtime.malloc", "runtime.makeslice", "runtime.convT", "runtime.rawstring",
		"runtime.rawbyteslice", "runtime.slicebytetostring", "runtime.stringtoslice", "runtime.slicerunetostring", "runtime.intstring",
		"bytes.Clone", "strings.Clone", "slices.Clone",
	}},
	{Dynamic, []string{"runtime.typeAssert", "runtime.assertE2I", "runtime.interfaceSwitch"}},
	{Bounds, []string{"runtime.panicIndex", "runtime.goPanicIndex", "runtime.panicSlice", "runtime.goPanicSlice", "runtime.panicBounds"}},
	{Division, []string{"runtime.panicdivide"}},
	{Copy, []string{"runtime.duffcopy", "runtime.memmove", "runtime.wbMove", "runtime.typedmemmove", "runtime.typedslicecopy"}},
	{Clear, []string{"runtime.duffzero", "runtime.memclr", "runtime.wbZero", "runtime.typedmemclr"}},
	{WriteBarrier, []string{"runtime.gcWriteBarrier", "runtime.wbZero"}},
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

// Benchmark finds the causes that the machine code of two programs shows for a
// benchmark function ("BenchmarkDecode"). builtins are those of
// [samecode.Builtins]. The only cause is [Layout] where all that the benchmark
// can reach is the same, and [Settings] where the programs were built in
// different ways.
func Benchmark(c *samecode.Comparison, benchmark string, builtins []string) []Cause {
	v := c.Benchmark(benchmark)
	switch {
	case v.Same:
		return []Cause{{Kind: Layout}}
	case c.Settings:
		return []Cause{{Kind: Settings, Subject: c.Why}}
	}
	causes := Code(c.Functions(benchmark, builtins))
	if v.What == "data" && !slices.ContainsFunc(causes, func(c Cause) bool { return !c.neutral() }) {
		causes = append(causes, Cause{Kind: Data, Subject: v.Symbol})
	}
	return causes
}

// Code finds causes in functions before and after, as
// [samecode.Comparison.Functions] describes them. Of the standard library only
// calls from outside are looked at.
func Code(old, new map[string]*samecode.Function) []Cause {
	var causes []Cause
	var silent []pair
	for _, name := range names(keys(old), keys(new)) {
		p := pair{old[name], new[name]}
		if Standard(name) || p.old != nil && p.new != nil && !p.old.Changed && !p.new.Changed {
			continue
		}
		found := p.causes()
		if len(found) == 0 && p.old != nil && p.new != nil {
			silent = append(silent, p)
		}
		causes = append(causes, found...)
	}
	for _, p := range silent {
		causes = append(causes, p.body()...)
	}
	return causes
}

func keys(functions map[string]*samecode.Function) map[string]int {
	all := make(map[string]int)
	for name := range functions {
		all[name] = 1
	}
	return all
}

// Standard says whether a symbol belongs to the standard library: its import
// path has no point in the first element.
func Standard(symbol string) bool {
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

// pair is a function before and after; one of them may be nil.
type pair struct{ old, new *samecode.Function }

// cause makes a cause in the function.
func (p pair) cause(kind Kind, subject string, before, after int) Cause {
	at := cmp.Or(p.new, p.old)
	c := Cause{Kind: kind, Function: at.Name, Subject: subject, Old: before, New: after, File: at.File, Line: at.Line}
	if p.old != nil {
		c.OldInstructions = p.old.Instructions
	}
	if p.new != nil {
		c.NewInstructions = p.new.Instructions
	}
	for _, f := range []*samecode.Function{p.new, p.old} {
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
func uses(f *samecode.Function, callee string) (calls, inlined int) {
	if f == nil {
		return 0, 0
	}
	return f.Calls[callee], f.Inlined[callee]
}

// callees lists what either side calls.
func (p pair) callees() []string {
	var counts []map[string]int
	for _, f := range []*samecode.Function{p.old, p.new} {
		if f != nil {
			counts = append(counts, f.Calls, f.Inlined)
		}
	}
	return names(counts...)
}

// causes finds the causes in one function.
func (p pair) causes() []Cause {
	var causes []Cause
	var came, went []string
	counted := make(map[Kind][2]int)
	subject := make(map[Kind]string)
	for _, callee := range p.callees() {
		oldCalls, oldInlined := uses(p.old, callee)
		newCalls, newInlined := uses(p.new, callee)
		if kind, ok := kindOf(callee); ok {
			n := counted[kind]
			counted[kind] = [2]int{n[0] + oldCalls + oldInlined, n[1] + newCalls + newInlined}
			if oldCalls+oldInlined != newCalls+newInlined {
				subject[kind] = cmp.Or(subject[kind], callee)
			}
			continue
		}
		switch {
		case strings.HasPrefix(callee, "runtime."):
		case oldInlined > 0 && newInlined == 0 && newCalls > oldCalls, oldInlined == 0 && newInlined > 0 && newCalls < oldCalls:
			causes = append(causes, p.cause(Inlining, callee, oldCalls, newCalls))
		case oldCalls+oldInlined == 0:
			came = append(came, callee)
		case newCalls+newInlined == 0:
			went = append(went, callee)
		}
	}
	for _, m := range marks {
		if n := counted[m.kind]; n[0] != n[1] {
			causes = append(causes, p.cause(m.kind, subject[m.kind], n[0], n[1]))
		}
	}
	if p.old == nil || p.new == nil {
		return causes // who calls it says that it came or went
	}
	if p.old.Indirect != p.new.Indirect {
		causes = append(causes, p.cause(Dynamic, "", p.old.Indirect, p.new.Indirect))
	}
	if len(came) > 0 && len(went) > 0 {
		c := p.cause(OtherCallee, came[0], 0, 1)
		c.Instead = went[0]
		return append(causes, c)
	}
	for _, callee := range came {
		if calls, _ := uses(p.new, callee); calls > 0 {
			causes = append(causes, p.cause(Callee, callee, 0, calls))
		} else { // what is inlined may have been folded away before
			causes = append(causes, p.cause(Body, callee, 0, 0))
		}
	}
	for _, callee := range went {
		if calls, _ := uses(p.old, callee); calls > 0 {
			causes = append(causes, p.cause(Callee, callee, calls, 0))
		} else {
			causes = append(causes, p.cause(Body, callee, 0, 0))
		}
	}
	return causes
}

// body says of a function without other causes how it changed.
func (p pair) body() []Cause {
	growth := p.new.Frame - p.old.Frame
	switch {
	case max(growth, -growth) >= largeFrame && p.old.Frame > 0 && p.new.Frame > 0:
		return []Cause{p.cause(Copy, "", p.old.Frame, p.new.Frame)}
	case p.old.Instructions != p.new.Instructions:
		return []Cause{p.cause(Body, "", 0, 0)}
	case p.old.Instructions > 0 && !p.old.SameOperands(p.new):
		return []Cause{p.cause(Operands, "", 0, 0)}
	}
	return nil
}

// largeFrame is the growth of a stack frame in bytes that comes of copies of
// large values rather than of a few more variables.
const largeFrame = 128

// names lists the keys of all counts, sorted.
func names(counts ...map[string]int) []string {
	all := make(map[string]bool)
	for _, m := range counts {
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
