package main

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/selftest"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// onceTimeout ends a benchmark that runs once, unless -timeout is given.
const onceTimeout = time.Minute

// runOnce runs every benchmark once, for -once.
func runOnce(ctx context.Context, s streams, c *command) error {
	format, err := readFormat(c, "text", "json")
	if err != nil {
		return err
	}
	o := selftest.OnceOptions{Bench: c.text("bench"), Timeout: onceTimeout, BuildFlags: session.TagFlags(readTags(c))}
	if c.isGiven("timeout") {
		o.Timeout = c.duration("timeout")
	}
	results, err := selftest.RunOnce(ctx, o, session.PackagesOf(c.args), func(r selftest.OnceResult) {
		if r.Outcome.Broken() {
			_ = selftest.WriteFailure(s.err, r)
		}
	})
	if err != nil {
		return err
	}
	if err := writeValue(s, c, format, selftest.OnceDocument(results), func(w io.Writer) error { return selftest.WriteOnce(w, results, c.is("v")) }); err != nil {
		return err
	}
	if slices.ContainsFunc(results, func(r selftest.OnceResult) bool { return r.Outcome.Broken() }) {
		return &exitError{exitFailed, nil}
	}
	return nil
}
