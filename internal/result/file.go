package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Writer appends lines to a result.jsonl. Every Write is one whole line in
// one call of the underlying writer, so that a killed process loses at most
// the line in flight.
type Writer struct {
	w   io.Writer
	buf bytes.Buffer
}

// NewWriter writes to w, which should be a file opened for appending.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write appends one line.
func (w *Writer) Write(l Line) error {
	w.buf.Reset()
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(l); err != nil {
		return fmt.Errorf("encode result line: %w", err)
	}
	if _, err := w.w.Write(w.buf.Bytes()); err != nil {
		return fmt.Errorf("append result line: %w", err)
	}
	return nil
}

// ErrNoStudy is returned for a file without a study line.
var ErrNoStudy = errors.New("no study line: not a result.jsonl of tare")

// Read reads a recording up to its last whole line; see [Lines].
func Read(r io.Reader) (rec *Recording, whole int64, err error) {
	lines, whole, err := Lines(r)
	if err != nil {
		return nil, whole, err
	}
	rec = new(Recording)
	for _, l := range lines {
		rec.Append(l)
	}
	return rec, whole, nil
}

// Lines reads the lines of a recording. A torn last line, as kill -9 leaves
// it, is dropped in silence: it is the round in flight. A broken line before
// the last is an error that names its number. Whole counts the bytes of the
// whole lines.
func Lines(r io.Reader) (lines []Line, whole int64, err error) {
	br := bufio.NewReaderSize(r, 1<<16)
	var has contents
	for number := 1; ; number++ {
		text, err := br.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // what stands after the last newline was torn
		}
		if err != nil {
			return nil, whole, fmt.Errorf("read result line %d: %w", number, err)
		}
		var l Line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, whole, fmt.Errorf("parse result line %d: %w", number, err)
		}
		if err := has.add(l); err != nil {
			return nil, whole, fmt.Errorf("parse result line %d: %w", number, err)
		}
		whole += int64(len(text))
		lines = append(lines, l)
	}
	if !has.study {
		return nil, whole, fmt.Errorf("read result: %w", ErrNoStudy)
	}
	return lines, whole, nil
}

// contents are what later lines may refer to.
type contents struct {
	study                bool
	variants, benchmarks int
}

// add refuses a line that refers to what is not there: all that reads a
// recording may rely on its indexes.
func (c *contents) add(l Line) error {
	if l.Study != nil {
		if c.study {
			return errors.New("a second study")
		}
		if l.Study.Schema > Schema {
			return fmt.Errorf("schema %d is newer than %d: use a newer tare", l.Study.Schema, Schema)
		}
		c.study, c.variants = true, len(l.Study.Variants)
	}
	if !c.study {
		return ErrNoStudy
	}
	if l.Benchmark != nil {
		c.benchmarks++
		if err := c.refers("benchmark", 0, 0, l.Benchmark.Missing...); err != nil {
			return err
		}
	}
	if r := l.Round; r != nil {
		if err := c.refers("round", r.Benchmark, len(r.Slices), r.Order...); err != nil {
			return err
		}
	}
	if b := l.Block; b != nil {
		if err := c.refers("block", b.Benchmark, len(b.Layouts), b.First); err != nil {
			return err
		}
	}
	if s := l.Stop; s != nil {
		if err := c.refers("stop", s.Benchmark, 0, s.Variant); err != nil {
			return err
		}
	}
	if n := l.Count; n != nil {
		return c.refers("count", n.Benchmark, 0, n.Variant)
	}
	return nil
}

// refers checks a benchmark, and variants: as many as have a column each, and
// those that are named.
func (c *contents) refers(what string, benchmark, columns int, variants ...int) error {
	if benchmark < 0 || benchmark >= c.benchmarks {
		return fmt.Errorf("%s of unknown benchmark %d", what, benchmark)
	}
	if columns > c.variants {
		return fmt.Errorf("%s of unknown variant %d", what, c.variants)
	}
	for _, v := range variants {
		if v < 0 || v >= c.variants {
			return fmt.Errorf("%s of unknown variant %d", what, v)
		}
	}
	return nil
}

// Append adds what one line says. A block whose rounds begin again, because its
// variants could not run in lockstep, replaces the rounds of its first try.
func (r *Recording) Append(l Line) {
	switch {
	case l.Study != nil:
		r.Study = *l.Study
	case l.Benchmark != nil:
		r.Benchmarks = append(r.Benchmarks, *l.Benchmark)
	case l.Round != nil:
		if l.Round.Round == 0 {
			r.begin(l.Round.Benchmark, l.Round.Block)
		}
		r.Rounds = append(r.Rounds, *l.Round)
	case l.Block != nil:
		r.Blocks = append(r.Blocks, *l.Block)
	case l.Stop != nil:
		r.Stops = append(r.Stops, *l.Stop)
	case l.Finding != nil:
		r.Findings = append(r.Findings, *l.Finding)
	case l.Count != nil:
		r.Counts = append(r.Counts, *l.Count)
	case l.Profile != nil:
		r.Profiles = append(r.Profiles, *l.Profile)
	case l.End != nil:
		r.End = l.End
	}
}

// begin drops the rounds of an earlier try of a block, which ends with its
// first round: counting rounds may stand before that.
func (r *Recording) begin(benchmark, block int) {
	for n := len(r.Rounds) - 1; n >= 0 && r.Rounds[n].Benchmark == benchmark && r.Rounds[n].Block == block; n-- {
		if r.Rounds[n].Round == 0 {
			r.Rounds = r.Rounds[:n]
		}
	}
}
