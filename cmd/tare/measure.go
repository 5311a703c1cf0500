package main

import (
	"context"
	"errors"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/audit"
	"github.com/tarebench/tare/cmd/tare/internal/explain"
	"github.com/tarebench/tare/cmd/tare/internal/report"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// measure runs a session and passes it to finish, with the error of a session
// that ended early but has measurements.
func measure(ctx context.Context, s streams, spec session.Spec, verbose bool, finish func(*session.Session, error) error) (err error) {
	live := s.live(verbose, time.Duration(spec.TotalSeconds*float64(time.Second)))
	defer live.Close()
	m, err := session.Open(ctx, spec, live)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, m.Close())
		if spec.Keep > 0 {
			removed, kerr := session.Keep(m.Spec().Dir, spec.Keep, m.Folder())
			err = errors.Join(err, kerr)
			if removed > 0 && session.FirstRemoval(m.Spec().Dir) {
				s.say("tare: removed the oldest study in .tare, which keeps %d studies and 1 GB (-keep); this is said once", spec.Keep)
			}
		}
	}()
	err = m.Run(ctx)
	if m.Measured() || err == nil { // code that no benchmark runs may have changed
		err = errors.Join(err, explain.Record(ctx, m, live))
	}
	if spec.Audit && ctx.Err() == nil && (err == nil || m.Measured()) {
		err = errors.Join(err, audit.Record(ctx, m, live))
	}
	live.Close()
	if err != nil && !m.Measured() {
		return err
	}
	return finish(m, err)
}

func (o destination) writeSession(s streams, m *session.Session, err error, d report.Document, exit error) error {
	d.Recording, d.Command = m.Recording(), s.command()
	if werr := o.write(s, d); werr != nil || err != nil {
		return errors.Join(err, werr)
	}
	return exit
}

func (o destination) request(gate result.Limits) result.Output {
	return result.Output{Format: o.format, File: o.file, Gate: gate}
}
