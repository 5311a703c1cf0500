package main

import (
	"errors"

	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// resume makes a comparison continue the study in the directory of -resume. The
// command line is the one that began the study, see [session.Spec.Resume].
func resume(c *command, o *session.Spec) error {
	if c.text("resume") == "" {
		return nil
	}
	if len(o.On) > 0 {
		return usagef("flags -on and -resume: a study continues on its machine: omit -on, or start a new study with it")
	}
	err := o.Resume(c.text("resume"), c.isGiven)
	if errors.Is(err, session.ErrOther) {
		return asUsage(err)
	}
	return err
}
