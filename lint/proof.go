package lint

import (
	"strings"

	"github.com/tarebench/tare/finding"
	"github.com/tarebench/tare/internal/prove"
)

// ProvenLoop is a timed loop with what the machine code says about it.
type ProvenLoop struct {
	TimedLoop
	Machine prove.Loop
}

// Proof is what the machine code says about a finding.
type Proof struct {
	// Words say it: "the call to popcount is gone: the loop body is empty".
	Words string `json:"words"`
	// Holds is false when the compiler has kept the work after all.
	Holds bool `json:"holds"`
}

// Settle holds findings against the machine code: deadresult and constinput
// get their proof, and calls whose result nobody reads that are gone without
// having been suspected become findings of deadresult.
func Settle(list []Diagnostic, loops []ProvenLoop) []Diagnostic {
	var out []Diagnostic
	told := make(map[place]bool)
	for _, d := range list {
		if d.ID == deadResult.Name || d.ID == constantInput.Name {
			d.Proof = proofOf(d, loops)
			if d.Proof != nil {
				told[place{d.File, d.Line}] = true
				if !d.Proof.Holds {
					d.Severity = finding.Info
				}
			}
		}
		out = append(out, d)
	}
	for _, l := range loops {
		for i, c := range l.Machine.Calls {
			at := place{l.Source.File, c.Line}
			if c.Fate != prove.Gone || told[at] {
				continue
			}
			if l.Constant[i] && !l.Unused[i] {
				told[at] = true
				out = append(out, l.gone(c, constantInput, "the compiler has computed the result of "+c.Name+" in advance",
					"take the input from a package variable"))
			}
			if !l.Unused[i] && !l.Machine.Empty() || told[at] {
				continue
			}
			told[at] = true
			out = append(out, l.gone(c, deadResult, "the compiler has deleted the call to "+c.Name,
				"loop with b.Loop and changing input, or keep the result in an exported variable"))
		}
	}
	return sorted(out)
}

// gone is a finding about a call that the source alone did not show to be
// deleted.
func (l ProvenLoop) gone(c prove.Call, check Check, message, action string) Diagnostic {
	return Diagnostic{
		Finding: finding.Finding{ID: check.Name, Severity: finding.Severe, Message: message, Action: action},
		Package: l.Package, File: l.Source.File, Line: c.Line, Column: c.Column, EndLine: c.Last, EndColumn: c.Column,
		URL:   check.URL,
		Proof: &Proof{l.Machine.String(), true},
	}
}

type place struct {
	file string
	line int
}

// proofOf finds the call of a finding in the proven loops.
func proofOf(d Diagnostic, loops []ProvenLoop) *Proof {
	for _, l := range loops {
		if l.Source.File != d.File || d.Line < l.Source.Line || d.Line > l.Source.Last || !l.Machine.Found {
			continue
		}
		if l.Machine.Empty() {
			return &Proof{l.Machine.String(), true}
		}
		for _, c := range l.Machine.Calls {
			if c.Line == d.Line && (c.Column == d.Column || strings.Contains(d.Message, " "+c.Name)) {
				return &Proof{callWords(c, l.Machine), c.Fate == prove.Gone}
			}
		}
	}
	return nil
}

func callWords(c prove.Call, l prove.Loop) string {
	if c.Fate == prove.Gone {
		return l.String()
	}
	return "the call to " + c.Name + " is kept (" + string(c.Fate) + ")"
}
