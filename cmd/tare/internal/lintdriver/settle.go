package lintdriver

import (
	"strings"

	"github.com/tarebench/tare/cmd/tare/lint"
	"github.com/tarebench/tare/internal/finding"
)

// Proof is the evidence of the machine code about a finding.
type Proof struct {
	// Words are a sentence: "the call to popcount is gone: the loop body is empty".
	Words string `json:"words"`
	// Holds is false if the compiler has kept the work.
	Holds bool `json:"holds"`
}

// The checks that the machine code confirms or refutes.
const (
	deadResult    = "deadresult"
	constantInput = "constinput"
)

const keepResult = "loop with b.Loop and changing input, or keep the result in an exported variable"

// settle compares findings with the machine code of the loops. Findings of
// deadresult and constinput get their proof. Deleted calls that no check
// suspected become findings.
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
			if !c.Gone || reported[at] {
				continue
			}
			switch {
			case c.Constant && !c.Unused:
				out = append(out, unsuspected(l, constantInput, "the compiler has computed the result of "+c.Name+" in advance",
					"take the input from a package variable", c.TimedCall))
			case c.Unused || l.Empty():
				out = append(out, unsuspected(l, deadResult, "the compiler has deleted the call to "+c.Name, keepResult, c.TimedCall))
			default:
				continue
			}
			reported[at] = true
		}
		if l.Empty() && !reportedIn(reported, l.Source) {
			at := lint.TimedCall{Line: l.Source.Line, Column: 1, Last: l.Source.Line}
			out = append(out, unsuspected(l, deadResult, "the compiler has deleted the body of this loop", keepResult, at))
		}
	}
	return sorted(out)
}

// unsuspected is a finding that the source alone did not show.
func unsuspected(l LoopWork, id, message, action string, at lint.TimedCall) Diagnostic {
	return Diagnostic{
		Finding: finding.Finding{ID: id, Severity: finding.Severe, Message: message, Action: action},
		Package: l.Source.Package, File: l.Source.File, Line: at.Line, Column: at.Column, EndLine: at.Last, EndColumn: at.Column,
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
				return &Proof{callWords(c, l), c.Gone}
			}
		}
	}
	return nil
}

func callWords(c CallWork, l LoopWork) string {
	if c.Gone {
		return l.String()
	}
	return "the call to " + c.Name + " is kept"
}
