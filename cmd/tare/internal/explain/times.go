package explain

import (
	"cmp"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
)

// profileTimes divides the time of a CPU profile among functions, in shares of the
// whole: 0 to 1.
type profileTimes struct {
	// Inclusive is the time in a function and its callees. Functions are without
	// their type arguments.
	Inclusive map[string]float64

	self      map[string]float64    // in the function itself
	calls     map[[2]string]float64 // time in the callees of a function, by caller and callee
	collector float64
	samples   int
}

// timesOf reads a CPU profile.
func timesOf(p *profile.Profile) profileTimes {
	t := profileTimes{Inclusive: make(map[string]float64), self: make(map[string]float64), calls: make(map[[2]string]float64)}
	value := len(p.SampleType) - 1 // time, after the count
	var total float64
	for _, s := range p.Sample {
		total += float64(s.Value[value])
	}
	if total == 0 {
		return t
	}
	for _, s := range p.Sample {
		part := float64(s.Value[value])
		t.samples += int(s.Value[0])
		if inCollector(s) {
			t.collector += part
		}
		seen, called := make(map[string]bool), make(map[[2]string]bool)
		callee := ""
		for frame := range instrument.Frames(s) {
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
	for _, shares := range []map[string]float64{t.Inclusive, t.self} {
		for name := range shares {
			shares[name] /= total
		}
	}
	for call := range t.calls {
		t.calls[call] /= total
	}
	t.collector /= total
	return t
}

// named are the times with the names of the new variant for functions that have
// causes.
func (t profileTimes) named(causes []Cause) profileTimes {
	now := make(map[string]string)
	for _, c := range causes {
		if c.was != "" && c.was != c.Function {
			now[withoutTypes(c.was)] = withoutTypes(c.Function)
		}
	}
	name := func(old string) string { return cmp.Or(now[old], old) }
	all := profileTimes{make(map[string]float64), make(map[string]float64), make(map[[2]string]float64), t.collector, t.samples}
	for function, part := range t.Inclusive {
		all.Inclusive[name(function)] += part
	}
	for function, part := range t.self {
		all.self[name(function)] += part
	}
	for call, part := range t.calls {
		all.calls[[2]string{name(call[0]), name(call[1])}] += part
	}
	return all
}

// call is the time in calls of one function by another.
func (t profileTimes) call(caller, callee string) float64 {
	return t.calls[[2]string{withoutTypes(caller), withoutTypes(callee)}]
}

// own is the time in a function, and in its calls of the standard library and
// of named functions.
func (t profileTimes) own(function string, named map[string]bool) float64 {
	function = withoutTypes(function)
	sum := t.self[function]
	for call, part := range t.calls {
		if call[0] == function && call[1] != function && (isStandard(call[1]) || named[call[1]]) {
			sum += part
		}
	}
	return sum
}

// weigh sets the additional time of an operation in the new variant, for each
// cause and its function, if the profiles of both variants show it.
func weigh(causes []Cause, old, new profileTimes, oldRunning, newRunning running) {
	oldOp, newOp := oldRunning.cpu(), newRunning.cpu()
	if !(oldOp > 0 && newOp > 0) {
		return
	}
	more := func(of func(profileTimes) float64) float64 { return of(new)*newOp - of(old)*oldOp }
	explained := make(map[string]bool)
	for _, c := range causes {
		explained[withoutTypes(c.Function)] = explained[withoutTypes(c.Function)] || !c.vague()
	}
	named := make(map[string]map[string]bool)
	for _, c := range causes {
		if c.Kind == Inlining {
			continue // the time in its callee alone is added below
		}
		if named[c.Function] == nil {
			named[c.Function] = make(map[string]bool)
		}
		for _, callee := range []string{withoutTypes(c.Subject), withoutTypes(c.Instead)} {
			named[c.Function][callee] = !explained[callee] // a callee that has causes keeps its time
		}
	}
	for i := range causes {
		c := &causes[i]
		var seconds float64
		switch c.Kind {
		case Settings, Profile, Data, Layout:
			continue // they have no function
		case Collector:
			seconds = more(func(t profileTimes) float64 { return t.collector })
			c.weight = seconds
		default:
			c.weight = more(func(t profileTimes) float64 { return t.own(c.Function, named[c.Function]) })
			seconds = more(func(t profileTimes) float64 {
				switch {
				case c.Kind == Inlining:
					return t.self[withoutTypes(c.Subject)]
				case c.Subject != "":
					return t.call(c.Function, c.Subject) + t.call(c.Function, c.Instead)
				}
				return t.self[withoutTypes(c.Function)]
			})
			if c.Kind == Inlining {
				c.weight += seconds
			}
		}
		c.Seconds = &seconds
		c.heavy = abs(c.weight) >= timeLimit*max(oldOp, newOp)
	}
}
