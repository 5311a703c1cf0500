// Package finding holds what deserves a word about the user's code, data or
// machine.
//
// A finding is neither an error (tare failed) nor a result (a number). It
// names its subject, says what was seen, and gives the next action.
package finding

import "strings"

// Severity says how much a finding weighs.
type Severity string

const (
	// Info is worth knowing and changes nothing.
	Info Severity = "info"
	// Warning puts a number in doubt.
	Warning Severity = "warning"
	// Severe makes a number worthless until it is dealt with.
	Severe Severity = "severe"
)

// Finding is one thing that deserves a word.
type Finding struct {
	// ID is short, stable and lower case with dashes: "too-few-blocks".
	ID string `json:"id"`
	// Severity is how much it weighs.
	Severity Severity `json:"severity"`
	// Subject is what it is about: a benchmark, a file:line, a part of the
	// machine. Empty when it is about the whole.
	Subject string `json:"subject,omitempty"`
	// Message says what was seen, with its numbers.
	Message string `json:"message"`
	// Action is the next thing to do about it. It never blames.
	Action string `json:"action,omitempty"`
}

// String renders the finding on one line: "subject: message; action [id]".
func (f Finding) String() string {
	var b strings.Builder
	if f.Subject != "" {
		b.WriteString(f.Subject)
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	if f.Action != "" {
		b.WriteString("; ")
		b.WriteString(f.Action)
	}
	b.WriteString(" [")
	b.WriteString(f.ID)
	b.WriteString("]")
	return b.String()
}
