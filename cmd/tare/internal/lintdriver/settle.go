package lintdriver

import (
	"strings"

	"github.com/tarebench/tare/cmd/tare/lint"
	"github.com/tarebench/tare/internal/finding"
)

// Proof is what the machine code says about a finding.
type Proof struct {
	// Words are a sentence: "the call to popcount is gone: the loop body is empty".
	Words string `json:"words"`
	// Holds is false when the compiler has kept the work.
	Holds bool `json:"holds"`
}

// The checks that a look at the machine code confirms or refutes.
const (
	deadResult    = "deadresult"
	constantInput = "constinput"
)

// settle compares findings with the machine code of the loops: those of
// deadresult and constinput get their proof, and calls that are gone without
// having been suspected become findings.
func settle(list []Diagnostic, loops []LoopWork) []Diagnostic {
	var out []Diagnostic
	reported := make(map[place]bool)
	for _, d := range list {
		if d.ID == deadResult || d.ID == constantInput {
			d.Proof = proofOf(d, loops)
			if d.Proof != nil {
				reported[place{d.File, d.Line}] = true
				if !d.Proof.Holds {
					d.Severity = finding.Info
				}
			}
		}
		out = append(out, d)
	}
	for _, l := range loops {
		for _, c := range l.Calls {
			at := place{l.Source.File, c.Line}
			if c.Fate != Gone || reported[at] {
				continue
			}
			switch {
			case c.Constant && !c.Unused:
				out = append(out, gone(l, c, constantInput, "the compiler has computed the result of "+c.Name+" in advance",
					"take the input from a package variable"))
			case c.Unused || l.Empty():
				out = append(out, gone(l, c, deadResult, "the compiler has deleted the call to "+c.Name,
					"loop with b.Loop and changing input, or keep the result in an exported variable"))
			default:
				continue
			}
			reported[at] = true
		}
		if l.Empty() && !reportedIn(reported, l.Source) {
			out = append(out, empty(l))
		}
	}
	return sorted(out)
}

// gone is a finding about a call that the source alone did not show to be
// deleted.
func gone(l LoopWork, c CallWork, id, message, action string) Diagnostic {
	return Diagnostic{
		Finding: finding.Finding{ID: id, Severity: finding.Severe, Message: message, Action: action},
		Package: l.Source.Package, File: l.Source.File, Line: c.Line, Column: c.Column, EndLine: c.Last, EndColumn: c.Column,
		URL:   documentation(id),
		Proof: &Proof{l.String(), true},
	}
}

// reportedIn reports whether a place in the loop is reported.
func reportedIn(reported map[place]bool, l lint.TimedLoop) bool {
	for at := range reported {
		if at.file == l.File && l.Line <= at.line && at.line <= l.Last {
			return true
		}
	}
	return false
}

// empty is a finding about a loop of which nothing is left, with no call to
// point at.
func empty(l LoopWork) Diagnostic {
	return Diagnostic{
		Finding: finding.Finding{
			ID: deadResult, Severity: finding.Severe, Message: "the compiler has deleted the body of this loop",
			Action: "loop with b.Loop and changing input, or keep the result in an exported variable",
		},
		Package: l.Source.Package, File: l.Source.File, Line: l.Source.Line, Column: 1, EndLine: l.Source.Line, EndColumn: 1,
		URL:   documentation(deadResult),
		Proof: &Proof{l.String(), true},
	}
}

// documentation is the address of a check's documentation.
func documentation(id string) string {
	for _, c := range lint.Checks() {
		if c.Name == id {
			return c.URL
		}
	}
	return ""
}

// proofOf finds the call of a finding in the loops.
func proofOf(d Diagnostic, loops []LoopWork) *Proof {
	for _, l := range loops {
		if l.Source.File != d.File || d.Line < l.Source.Line || d.Line > l.Source.Last || !l.Found {
			continue
		}
		if l.Empty() {
			return &Proof{l.String(), true}
		}
		for _, c := range l.Calls {
			if c.Line == d.Line && (c.Column == d.Column || strings.Contains(d.Message, " "+c.Name)) {
				return &Proof{callWords(c, l), c.Fate == Gone}
			}
		}
	}
	return nil
}

func callWords(c CallWork, l LoopWork) string {
	if c.Fate == Gone {
		return l.String()
	}
	return "the call to " + c.Name + " is kept (" + string(c.Fate) + ")"
}
