package explain

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Decision is one line of the compiler's output with -gcflags=-m=2.
type Decision struct {
	Kind Decided
	// Function is the function of the decision, as the compiler writes it
	// without the package: "(*T).Decode", "Sum[go.shape.int]". It is empty for
	// Inlines and Checks, for which the compiler prints only the line.
	Function string
	// Subject is the function that is inlined, or the value that escapes.
	Subject string
	// Reason is the rest: "function too complex: cost 83 exceeds budget 80",
	// or the last step by which a value escapes.
	Reason string
	File   string
	Line   int
}

// Decided is a kind of decision.
type Decided string

const (
	// CanInline and CannotInline are about Function.
	CanInline    Decided = "can inline"
	CannotInline Decided = "cannot inline"
	// Inlines is a call of Subject that is replaced by its body.
	Inlines Decided = "inlines"
	// Escapes is a variable or expression that lives on the heap.
	Escapes Decided = "escapes"
	// Checks is an index that is checked against the length.
	Checks Decided = "checks"
	// Devirtualizes is an interface call whose method is known.
	Devirtualizes Decided = "devirtualizes"
)

// DecisionFlags make the compiler write the lines for [ReadDecisions]. The go
// command repeats the output of a compilation that it finds in its cache.
const DecisionFlags = "-m=2 -d=ssa/check_bce"

// decisionForms are the forms of a line.
type decisionForms struct {
	line, canInline, cannotInline, escapes, flowStep, devirtual *regexp.Regexp
}

// newDecisionForms compiles the forms once, for the first decisions.
var newDecisionForms = sync.OnceValue(func() decisionForms {
	return decisionForms{
		line:         regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (.*)$`),
		canInline:    regexp.MustCompile(`^can inline (\S+) with cost (\d+)`),
		cannotInline: regexp.MustCompile(`^cannot inline (\S+): (.*)$`),
		escapes:      regexp.MustCompile(`^(.*) escapes to heap(?: in (\S+))?:$`),
		flowStep:     regexp.MustCompile(`^\s+from (.*) \((.*)\) at `),
		devirtual:    regexp.MustCompile(`^(?:PGO )?devirtualizing (\S+) to (.*)$`),
	}
})

// ReadDecisions reads the output of go build -gcflags='-m=2 -d=ssa/check_bce'.
// It skips lines that do not affect speed.
func ReadDecisions(r io.Reader) ([]Decision, error) {
	var all []Decision
	forms := newDecisionForms()
	open := -1 // the value whose flow the next lines describe
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<22)
	for scanner.Scan() {
		found := forms.line.FindStringSubmatch(scanner.Text())
		if found == nil {
			continue
		}
		line, err := strconv.Atoi(found[2])
		if err != nil {
			return nil, fmt.Errorf("read decisions of the compiler: %w", err)
		}
		text := found[4]
		if step := forms.flowStep.FindStringSubmatch(text); step != nil && open >= 0 {
			all[open].Reason = step[2] + ": " + step[1]
			continue
		}
		if strings.HasPrefix(text, " ") {
			continue
		}
		open = -1
		d, ok := forms.decision(text)
		if !ok {
			continue
		}
		d.File, d.Line = found[1], line
		if d.Kind == Escapes {
			open = len(all)
		}
		all = append(all, d)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read decisions of the compiler: %w", err)
	}
	return all, nil
}

// decision reads the text after the place.
func (f decisionForms) decision(text string) (Decision, bool) {
	if m := f.canInline.FindStringSubmatch(text); m != nil {
		return Decision{Kind: CanInline, Function: m[1], Reason: "cost " + m[2]}, true
	}
	if m := f.cannotInline.FindStringSubmatch(text); m != nil {
		return Decision{Kind: CannotInline, Function: m[1], Reason: m[2]}, true
	}
	if name, ok := strings.CutPrefix(text, "inlining call to "); ok {
		return Decision{Kind: Inlines, Subject: name}, true
	}
	if m := f.escapes.FindStringSubmatch(text); m != nil {
		return Decision{Kind: Escapes, Subject: m[1], Function: m[2]}, true
	}
	if text == "Found IsInBounds" || text == "Found IsSliceInBounds" {
		return Decision{Kind: Checks}, true
	}
	if m := f.devirtual.FindStringSubmatch(text); m != nil {
		return Decision{Kind: Devirtualizes, Subject: m[1], Reason: m[2]}, true
	}
	return Decision{}, false
}

// DecisionChange is a decision that only one of two variants has.
type DecisionChange struct {
	Decision
	// New is true when the new variant has it.
	New bool
}

// Source returns the text of a line of a file, without surrounding space, and
// the function that contains it.
type Source func(file string, line int) (text, function string)

// CompareDecisions lists the decisions that differ. Two decisions are the same
// if kind, function, subject and the text of the line agree. The number of the
// line does not count, so moved code is not a change. If the variants have n
// and m equal decisions, the difference counts.
func CompareDecisions(old, new []Decision, oldSource, newSource Source) []DecisionChange {
	type identity struct {
		kind                    Decided
		function, subject, text string
	}
	key := func(d Decision, source Source) (identity, Decision) {
		text, function := source(d.File, d.Line)
		d.Function = cmp.Or(d.Function, function)
		id := identity{d.Kind, d.Function, d.Subject, text}
		if d.Kind == CanInline || d.Kind == CannotInline {
			id.text = ""
		}
		return id, d
	}
	count := make(map[identity]int)
	for _, d := range old {
		id, _ := key(d, oldSource)
		count[id]--
	}
	var changes []DecisionChange
	for _, d := range new {
		id, d := key(d, newSource)
		if count[id]++; count[id] > 0 {
			changes = append(changes, DecisionChange{d, true})
		}
	}
	for _, d := range old {
		id, d := key(d, oldSource)
		if count[id] < 0 {
			count[id]++
			changes = append(changes, DecisionChange{d, false})
		}
	}
	slices.SortStableFunc(changes, func(a, b DecisionChange) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return changes
}

// AddReasons adds the compiler's words and the line to causes. A new call that
// was inlined before is a lost inlining. Machine code does not show the body of
// a small function that was folded into its caller.
func AddReasons(causes []Cause, changes []DecisionChange) {
	for i := range causes {
		c := &causes[i]
		if c.Kind == Callee && slices.ContainsFunc(changes, func(d DecisionChange) bool {
			return d.Kind == Inlines && d.New != (c.New > c.Old) && (d.Subject == Local(c.Subject) || d.Subject == Short(c.Subject))
		}) {
			c.Kind = Inlining
		}
		for _, d := range changes {
			if c.Reason != "" || !c.explainedBy(d) {
				continue
			}
			c.Reason = d.Reason
			if c.Kind == Allocation && d.Subject != "" {
				c.Reason = strings.TrimSuffix(d.Subject+" escapes to the heap: "+d.Reason, ": ")
			}
			if c.Kind != Inlining && c.Kind != Callee && c.Kind != OtherCallee {
				c.File, c.Line = d.File, d.Line
			}
		}
	}
}

// explainedBy reports whether a decision of the compiler explains a cause.
func (c Cause) explainedBy(d DecisionChange) bool {
	more := c.New > c.Old
	switch c.Kind {
	case Inlining:
		return d.Function != "" && Local(c.Subject) == d.Function && d.New == more && d.Kind == CannotInline ||
			!more && d.New && d.Kind == CanInline && Local(c.Subject) == d.Function
	case Callee, OtherCallee:
		return d.New == more && d.Kind == CannotInline && Local(c.Subject) == d.Function
	case Allocation, Growth:
		return d.Kind == Escapes && d.New == more && Local(c.Function) == d.Function
	case Bounds:
		return d.Kind == Checks && d.New == more && Local(c.Function) == d.Function
	case Dynamic:
		return d.Kind == Devirtualizes && d.New != more && Local(c.Function) == d.Function
	}
	return false
}

// Local is the name of a symbol as the compiler writes it: without the path of
// its package.
func Local(symbol string) string {
	bracket := strings.IndexByte(symbol, '[')
	head := symbol
	if bracket >= 0 {
		head = symbol[:bracket]
	}
	slash := strings.LastIndexByte(head, '/')
	_, name, _ := strings.Cut(symbol[slash+1:], ".")
	return name
}
