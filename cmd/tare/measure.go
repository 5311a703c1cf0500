package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tarebench/tare/internal/report"
	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/internal/session"
)

// measure carries out a session and reports it. What was measured before an
// error is reported before the error is returned.
func measure(ctx context.Context, s streams, spec session.Spec, to destination, verbose bool, document func(*session.Session) (report.Document, error)) (err error) {
	watch := newWatcher(s.err, verbose)
	watch.total = spec.Total
	defer watch.live.Close()
	run, err := session.Open(ctx, spec, watch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	err = run.Run(ctx)
	watch.live.Close()
	if err != nil && !run.Measured() {
		return err
	}
	d, exit := document(run)
	d.Recording, d.Command, d.Created = run.Recording(), spec.Command, run.Recording().Study.Created
	if werr := to.write(s, d); werr != nil || err != nil {
		return errors.Join(err, werr)
	}
	return exit
}

// watcher shows on standard error what a session does.
type watcher struct {
	live    *report.Live
	to      io.Writer
	verbose bool
	// total is the time that the user gave the session.
	total time.Duration
}

func newWatcher(to io.Writer, verbose bool) watcher {
	return watcher{live: report.NewLive(to, liveOptions(to)), to: to, verbose: verbose}
}

func (w watcher) Progress(p session.Progress) {
	if p.Phase != "planned" {
		w.live.Update(report.Progress(p))
	} else if text := report.Estimate(report.Progress(p), w.total); text != "" {
		w.Notice(text)
	}
}

func (w watcher) Finished(p session.Progress) { w.live.Done(report.Progress(p)) }

func (w watcher) Notice(text string) {
	w.live.Close()
	fmt.Fprintf(w.to, "tare: %s\n", text)
}

func (w watcher) Step(text string) {
	if w.verbose {
		w.live.Close()
		fmt.Fprintln(w.to, text)
	}
}

// request is how the user wants the result, as it is recorded.
func (o destination) request(gate bool) result.Output {
	return result.Output{Format: o.format, File: o.file, ASCII: o.ascii, GitHub: o.github, Gate: gate}
}
