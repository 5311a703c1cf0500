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

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// decision is one line of the compiler's output with -gcflags=-m=2.
type decision struct {
	Kind decided
	// Function is the function of the decision, as the compiler writes it
	// without the package: "(*T).Decode", "Sum[go.shape.int]". It is empty for
	// inlines and Checks, for which the compiler prints only the line.
	Function string
	// Subject is the function that is inlined, or the value that escapes.
	Subject string
	// Reason is the rest: "function too complex: cost 83 exceeds budget 80",
	// or the last step by which a value escapes.
	Reason string
	File   string
	Line   int
}

// decided is a kind of decision.
type decided string

const (
	// canInline and cannotInline are about Function.
	canInline    decided = "can inline"
	cannotInline decided = "cannot inline"
	// inlines is a call of Subject that is replaced by its body.
	inlines decided = "inlines"
	// escapes is a variable or expression that lives on the heap.
	escapes decided = "escapes"
	// checksBounds is an index that is checked against the length.
	checksBounds decided = "checks"
	// devirtualizes is an interface call whose method is known.
	devirtualizes decided = "devirtualizes"
)

// decisionFlags make the compiler write the lines for [readDecisions]. The go
// command repeats the output of a compilation that it finds in its cache.
const decisionFlags = "-m=2 -d=ssa/check_bce"

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

// readDecisions reads the output of go build -gcflags='-m=2 -d=ssa/check_bce'.
// It skips lines that do not affect speed.
func readDecisions(r io.Reader) ([]decision, error) {
	var all []decision
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
		if d.Kind == escapes {
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
func (f decisionForms) decision(text string) (decision, bool) {
	if m := f.canInline.FindStringSubmatch(text); m != nil {
		return decision{Kind: canInline, Function: m[1], Reason: "cost " + m[2]}, true
	}
	if m := f.cannotInline.FindStringSubmatch(text); m != nil {
		return decision{Kind: cannotInline, Function: m[1], Reason: m[2]}, true
	}
	if name, ok := strings.CutPrefix(text, "inlining call to "); ok {
		return decision{Kind: inlines, Subject: name}, true
	}
	if m := f.escapes.FindStringSubmatch(text); m != nil {
		return decision{Kind: escapes, Subject: m[1], Function: m[2]}, true
	}
	if text == "Found IsInBounds" || text == "Found IsSliceInBounds" {
		return decision{Kind: checksBounds}, true
	}
	if m := f.devirtual.FindStringSubmatch(text); m != nil {
		return decision{Kind: devirtualizes, Subject: m[1], Reason: m[2]}, true
	}
	return decision{}, false
}

// decisionChange is a decision that only one of two variants has.
type decisionChange struct {
	decision
	// New is true when the new variant has it.
	New bool
}

// sourceLine returns the text of a line of a file, without surrounding space, and
// the function that contains it.
type sourceLine func(file string, line int) (text, function string)

// compareDecisions lists the decisions that differ. Two decisions are the same
// if kind, function, subject and the text of the line agree. The number of the
// line does not count, so moved code is not a change. If the variants have n
// and m equal decisions, the difference counts.
func compareDecisions(old, new []decision, oldSource, newSource sourceLine) []decisionChange {
	type identity struct {
		kind                    decided
		function, subject, text string
	}
	key := func(d decision, source sourceLine) (identity, decision) {
		text, function := source(d.File, d.Line)
		d.Function = cmp.Or(d.Function, function)
		id := identity{d.Kind, d.Function, d.Subject, text}
		if d.Kind == canInline || d.Kind == cannotInline {
			id.text = ""
		}
		return id, d
	}
	count := make(map[identity]int)
	for _, d := range old {
		id, _ := key(d, oldSource)
		count[id]--
	}
	var changes []decisionChange
	for _, d := range new {
		id, d := key(d, newSource)
		if count[id]++; count[id] > 0 {
			changes = append(changes, decisionChange{d, true})
		}
	}
	for _, d := range old {
		id, d := key(d, oldSource)
		if count[id] < 0 {
			count[id]++
			changes = append(changes, decisionChange{d, false})
		}
	}
	slices.SortStableFunc(changes, func(a, b decisionChange) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return changes
}

// addReasons adds the compiler's words and the line to causes. A new call that
// was inlined before is a lost inlining. Machine code does not show the body of
// a small function that was folded into its caller.
func addReasons(causes []Cause, changes []decisionChange) {
	for i := range causes {
		c := &causes[i]
		if c.Kind == Callee && slices.ContainsFunc(changes, func(d decisionChange) bool {
			return d.Kind == inlines && d.New != (c.New > c.Old) && (d.Subject == localName(c.Subject) || d.Subject == words.Symbol(c.Subject))
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
func (c Cause) explainedBy(d decisionChange) bool {
	more := c.New > c.Old
	switch c.Kind {
	case Inlining:
		return d.Function != "" && localName(c.Subject) == d.Function && d.New == more && d.Kind == cannotInline ||
			!more && d.New && d.Kind == canInline && localName(c.Subject) == d.Function
	case Callee, OtherCallee:
		return d.New == more && d.Kind == cannotInline && localName(c.Subject) == d.Function
	case Allocation, Growth:
		return d.Kind == escapes && d.New == more && localName(c.Function) == d.Function
	case Bounds:
		return d.Kind == checksBounds && d.New == more && localName(c.Function) == d.Function
	case Dynamic:
		return d.Kind == devirtualizes && d.New != more && localName(c.Function) == d.Function
	}
	return false
}

// localName is the name of a symbol as the compiler writes it: without the path of
// its package.
func localName(symbol string) string {
	head, _, _ := strings.Cut(symbol, "[")
	slash := strings.LastIndexByte(head, '/')
	_, name, _ := strings.Cut(symbol[slash+1:], ".")
	return name
}
