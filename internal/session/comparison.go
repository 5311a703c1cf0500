package session

import (
	"github.com/tarebench/tare/internal/lockstep"
	"github.com/tarebench/tare/internal/result"
)

// Compare judges a recording of several variants: every verb that shows one
// shows this.
func Compare(rec *result.Recording) result.Comparison {
	c := lockstep.Compare(rec)
	c.Findings = append(c.Findings, profileFindings(c.Profiles)...)
	return c
}

// Measure summarizes a recording of one variant.
func Measure(rec *result.Recording) result.Run { return lockstep.Run(rec) }
