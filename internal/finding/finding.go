// Package finding describes problems and facts of the user's code, data or
// machine that deserve attention.
//
// A finding is neither an error (tare failed) nor a result (a number). Its
// [Kind] is defined once: id, severity, message and next action. The finding
// adds the subject and the numbers, in base units. The numbers are [Value]s,
// and the message is made from them.
package finding

import "strings"

// Severity is how much a finding matters.
type Severity string

const (
	// Info is worth knowing and changes nothing.
	Info Severity = "info"
	// Warning puts a number in doubt.
	Warning Severity = "warning"
	// Severe makes a number worthless until its cause is removed.
	Severe Severity = "severe"
)

// String returns the word of a severity. A recording may have any text here.
func (s Severity) String() string {
	switch s {
	case Info, Warning, Severe:
		return string(s)
	}
	return "unknown"
}

// Kind is the common part of all findings of one id.
type Kind struct {
	// ID is short, stable and lower case with dashes: "too-few-blocks".
	ID       string
	Severity Severity
	// Message is the observation, and Action the next thing to do about it.
	// "{name}" is replaced by the value of that name.
	Message, Action string
}

// Of returns the finding of this kind about a subject, with the values that its
// message and action use.
func (k Kind) Of(subject string, values ...Value) Finding {
	return Finding{
		ID: k.ID, Severity: k.Severity, Subject: subject,
		Message: fill(k.Message, values), Action: fill(k.Action, values), Values: byName(values),
	}
}

// Is reports whether f is a finding of this kind.
func (k Kind) Is(f Finding) bool { return f.ID == k.ID }

func fill(template string, values []Value) string {
	for _, v := range values {
		template = strings.ReplaceAll(template, "{"+v.Name+"}", v.String())
	}
	return template
}

// Finding is one instance of a kind.
type Finding struct {
	// ID and Severity are copied from the kind.
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Subject is a benchmark, a file:line, or a part of the machine. It is
	// empty if the finding is about the whole.
	Subject string `json:"subject,omitempty"`
	// Message is the observation, with its numbers rounded for a reader.
	Message string `json:"message"`
	// Action is the next thing to do about it.
	Action string `json:"action,omitempty"`
	// Values are the numbers (float64) of the message, not rounded, and its
	// texts (string), by name. A number that is not finite is nil.
	Values map[string]any `json:"values,omitempty"`
}

// String renders the finding on one line: "subject: message; action [id]".
func (f Finding) String() string {
	text := f.Message
	if f.Subject != "" {
		text = f.Subject + ": " + text
	}
	if f.Action != "" {
		text += "; " + f.Action
	}
	return text + " [" + f.ID + "]"
}

// Same reports whether two findings read the same: the same kind, subject and
// values, as rounded for a reader.
func (f Finding) Same(g Finding) bool { return f.Reading() == g.Reading() }

// Reading is what a reader reads of a finding.
type Reading [5]string

// Reading finds findings that read the same among many.
func (f Finding) Reading() Reading {
	return Reading{f.ID, string(f.Severity), f.Subject, f.Message, f.Action}
}
