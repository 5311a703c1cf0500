package explain

import (
	"fmt"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// String is the cause as a clause: "Work allocates in 2 places, not 1".
func (c Cause) String() string {
	where := words.Symbol(c.Function)
	var text string
	switch c.Kind {
	case Layout:
		return "the machine code is the same: function order or the machine differs"
	case Settings:
		return "the variants are built with different settings: " + c.Subject
	case Profile:
		return "the variants are compiled with different profiles: " + c.Subject
	case Data:
		return "the code is the same, but the data of " + words.Symbol(c.Subject) + " differs"
	case PoolLost:
		text = fmt.Sprintf("%s uses sync.Pool in %s, not %d", where, c.places(), c.Old)
	case Collector:
		text = fmt.Sprintf("the garbage collector takes %.0f%% of the CPU time, not %.0f%%", 100*c.NewAmount, 100*c.OldAmount)
	case OtherCallee:
		text = fmt.Sprintf("%s calls %s, not %s", where, words.Symbol(c.Subject), words.Symbol(c.Instead))
	case Inlining:
		verb := "is no longer inlined into"
		if c.New < c.Old {
			verb = "is now inlined into"
		}
		text = fmt.Sprintf("%s %s %s", words.Symbol(c.Subject), verb, where)
		if c.Loops > 0 {
			text += ", in a loop"
		}
	case Callee:
		verb := "calls"
		if c.New < c.Old {
			verb = "no longer calls"
		}
		if c.Loops > 0 {
			text = fmt.Sprintf("%s calls %s in %s, not %d", where, words.Symbol(c.Subject), c.places(), c.Old)
			break
		}
		text = fmt.Sprintf("%s %s %s", where, verb, words.Symbol(c.Subject))
	case Operands:
		text = where + " has the same instructions with other constants or offsets"
	case Body:
		text = where + " was changed"
		if c.Subject != "" {
			text += " in code inlined from " + words.Symbol(c.Subject)
		}
	default:
		if c.Instead != "" {
			text = fmt.Sprintf("%s %s by %s, not %s", where, c.Kind.phrase(), words.Symbol(c.Subject), words.Symbol(c.Instead))
			break
		}
		text = fmt.Sprintf("%s %s in %s, not %d", where, c.Kind.phrase(), c.places(), c.Old)
		if c.Kind == Copy && c.Subject == "" {
			text += " (16 bytes each)"
		}
		if c.Subject != "" {
			text += " (" + words.Symbol(c.Subject) + ")"
		}
	}
	if c.Type != "" {
		text += fmt.Sprintf("; %s has %d bytes, before %d", words.Symbol(c.Type), c.NewSize, c.OldSize)
	}
	if c.OldInstructions > 0 && c.NewInstructions > 0 && c.OldInstructions != c.NewInstructions {
		text += fmt.Sprintf("; %d instructions, before %d", c.NewInstructions, c.OldInstructions)
	}
	if c.Line > 0 {
		text += fmt.Sprintf(" [%s:%d]", filepath.Base(c.File), c.Line)
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	return text
}

// places are the places of the new variant in words.
func (c Cause) places() string {
	text := fmt.Sprintf("%d places", c.New)
	if c.New == 1 {
		text = "1 place"
	}
	switch {
	case c.Loops == 1:
		text += " in a loop"
	case c.Loops > 1:
		text += fmt.Sprintf(" in %d loops", c.Loops)
	}
	return text
}
