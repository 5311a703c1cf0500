package explain

import (
	"strings"

	"github.com/google/pprof/profile"
)

// Times says where the time of a CPU profile goes, in shares of the whole: 0
// to 1.
type Times struct {
	// Inclusive is what is spent in a function and in what it calls. Functions
	// are without their type arguments.
	Inclusive map[string]float64

	self                 map[string]float64    // in the function itself
	calls                map[[2]string]float64 // in what a function calls, by caller and callee
	scheduler, collector float64
}

// schedulerRoots are the functions at the root of what the scheduler does on
// stacks of its own.
var schedulerRoots = []string{"runtime.mcall", "runtime.mstart", "runtime.goexit0", "runtime.park_m", "runtime.schedule"}

// TimesOf reads a CPU profile.
func TimesOf(p *profile.Profile) Times {
	t := Times{Inclusive: make(map[string]float64), self: make(map[string]float64), calls: make(map[[2]string]float64)}
	if len(p.SampleType) == 0 || len(p.Sample) == 0 {
		return t
	}
	value := len(p.SampleType) - 1 // time, after the count
	var total float64
	for _, s := range p.Sample {
		total += float64(s.Value[value])
	}
	for _, s := range p.Sample {
		part := float64(s.Value[value])
		switch {
		case leads(s, collectorRoots...):
			t.collector += part
		case leads(s, schedulerRoots...):
			t.scheduler += part
		}
		seen, called := make(map[string]bool), make(map[[2]string]bool)
		callee := ""
		for _, l := range s.Location {
			for _, frame := range l.Line {
				if frame.Function == nil {
					continue
				}
				name := withoutTypes(frame.Function.Name)
				if callee == "" {
					t.self[name] += part
				} else if call := [2]string{name, callee}; !called[call] {
					called[call] = true
					t.calls[call] += part
				}
				if !seen[name] {
					seen[name] = true
					t.Inclusive[name] += part
				}
				callee = name
			}
		}
	}
	for _, shares := range []map[string]float64{t.Inclusive, t.self} {
		for name := range shares {
			shares[name] /= total
		}
	}
	for call := range t.calls {
		t.calls[call] /= total
	}
	t.scheduler, t.collector = t.scheduler/total, t.collector/total
	return t
}

// call is what is spent in calls of one function by another.
func (t Times) call(caller, callee string) float64 {
	return t.calls[[2]string{withoutTypes(caller), withoutTypes(callee)}]
}

// in is what is spent in what a function calls that is of a kind.
func (t Times) in(function string, of Kind) (sum float64) {
	function = withoutTypes(function)
	for call, part := range t.calls {
		if call[0] != function {
			continue
		}
		if kind, ok := kindOf(call[1]); ok && kind == of || of == Defer && strings.HasPrefix(call[1], "runtime.deferreturn") {
			sum += part
		}
	}
	return sum
}

// unknown is what is spent in what a function calls that is not known before it
// runs: closures, and methods through interfaces.
func (t Times) unknown(function string, known map[string]bool) (sum float64) {
	function = withoutTypes(function)
	for call, part := range t.calls {
		if call[0] == function && !known[call[1]] && !strings.HasPrefix(call[1], "runtime.") {
			sum += part
		}
	}
	return sum
}

// Weigh notes with each cause how much longer an operation takes in the new
// variant in what the cause is about, as far as the profiles of both sides say
// so. The times are those of one operation.
func Weigh(causes []Cause, old, new Times, oldRunning, newRunning Running) {
	oldOp, newOp := oldRunning.Seconds+oldRunning.SystemSeconds, newRunning.Seconds+newRunning.SystemSeconds
	if !(oldOp > 0 && newOp > 0) {
		return
	}
	collector := new.collector*newOp - old.collector*oldOp
	bytes := newRunning.Bytes - oldRunning.Bytes
	heaviest(causes, old, new)
	for i := range causes {
		c := &causes[i]
		more := func(of func(Times) float64) float64 { return of(new)*newOp - of(old)*oldOp }
		self := func(function string) float64 {
			return more(func(t Times) float64 { return t.self[withoutTypes(function)] })
		}
		call := func(callee string) float64 { return more(func(t Times) float64 { return t.call(c.Function, callee) }) }
		var seconds float64
		switch c.Kind {
		case Settings, Profile, PoolLost, Waiting, PageFaults, SystemTime, Data, Layout:
			continue // no function is only theirs
		case Collector:
			seconds = collector
		case Callee:
			seconds = call(c.Subject)
		case OtherCallee:
			seconds = call(c.Subject) + call(c.Instead)
		case Inlining:
			seconds = self(c.Function) + self(c.Subject)
		case Body:
			seconds = self(c.Function)
			if c.Subject != "" {
				seconds += call(c.Subject)
			}
		case Operands:
			seconds = self(c.Function)
		default:
			seconds = more(func(t Times) float64 { return t.in(c.Function, c.Kind) })
			switch c.Kind {
			case Dynamic:
				seconds += self(c.Function) + more(func(t Times) float64 { return t.unknown(c.Function, c.known) })
			case Bounds, Division, Copy, Clear, WriteBarrier, Lock:
				seconds += self(c.Function)
				for inlined := range c.known {
					seconds += self(inlined)
				}
			case Panic: // the stack is unwound on another one
				seconds += more(func(t Times) float64 { return t.Inclusive["runtime.recovery"] })
			case Channel:
				seconds += more(func(t Times) float64 { return t.scheduler })
			}
			if c.Bytes*bytes > 0 {
				seconds += collector * min(1, c.Bytes/bytes)
			}
		}
		c.Seconds = &seconds
		c.heavy = abs(seconds) >= timeLimit*max(oldOp, newOp)
	}
}

// heaviest lets a cause of kind [OtherCallee] name those of the functions that
// came and went that take most time.
func heaviest(causes []Cause, old, new Times) {
	for i := range causes {
		c := &causes[i]
		if c.Kind != OtherCallee {
			continue
		}
		for k := range causes {
			other := &causes[k]
			if other.Function != c.Function || other.Kind != Callee {
				continue
			}
			switch {
			case other.Old == 0 && new.call(c.Function, other.Subject) > new.call(c.Function, c.Subject):
				c.Subject, other.Subject = other.Subject, c.Subject
				c.File, other.File, c.Line, other.Line = other.File, c.File, other.Line, c.Line
			case other.New == 0 && old.call(c.Function, other.Subject) > old.call(c.Function, c.Instead):
				c.Instead, other.Subject = other.Subject, c.Instead
			}
		}
	}
}
