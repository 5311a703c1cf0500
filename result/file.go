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

// Read reads a recording up to its last whole line. A torn last line, as kill
// -9 leaves it, is dropped in silence: it is the round in flight. A broken
// line before the last is an error that names its number. Whole counts the
// bytes of the whole lines, so that a study can be resumed behind them.
func Read(r io.Reader) (rec *Recording, whole int64, err error) {
	rec = new(Recording)
	br := bufio.NewReaderSize(r, 1<<16)
	seen := false
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
		whole += int64(len(text))
		switch {
		case l.Study != nil:
			if l.Study.Schema > Schema {
				return nil, whole, fmt.Errorf("parse result line %d: schema %d is newer than %d: use a newer tare", number, l.Study.Schema, Schema)
			}
			rec.Study, seen = *l.Study, true
		case l.Benchmark != nil:
			rec.Benchmarks = append(rec.Benchmarks, *l.Benchmark)
		case l.Round != nil:
			if l.Round.Benchmark < 0 || l.Round.Benchmark >= len(rec.Benchmarks) {
				return nil, whole, fmt.Errorf("parse result line %d: round of unknown benchmark %d", number, l.Round.Benchmark)
			}
			rec.Rounds = append(rec.Rounds, *l.Round)
		case l.Block != nil:
			rec.Blocks = append(rec.Blocks, *l.Block)
		case l.Stop != nil:
			rec.Stops = append(rec.Stops, *l.Stop)
		case l.Finding != nil:
			rec.Findings = append(rec.Findings, *l.Finding)
		case l.Count != nil:
			if l.Count.Benchmark < 0 || l.Count.Benchmark >= len(rec.Benchmarks) {
				return nil, whole, fmt.Errorf("parse result line %d: count of unknown benchmark %d", number, l.Count.Benchmark)
			}
			rec.Counts = append(rec.Counts, *l.Count)
		case l.End != nil:
			rec.End = l.End
		}
	}
	if !seen {
		return nil, whole, fmt.Errorf("read result: %w", ErrNoStudy)
	}
	return rec, whole, nil
}
