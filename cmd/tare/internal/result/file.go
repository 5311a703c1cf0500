package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
	if l.Block != nil {
		block := *l.Block
		block.Pack()
		l.Block = &block
	}
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

// IsRecording reports from the first bytes of a file whether it can be a
// recording.
func IsRecording(head []byte) bool {
	kinds := []string{"study", "benchmark", "plan", "block", "stop", "finding", "count", "changed", "production", "machine", "end"}
	return slices.ContainsFunc(kinds, func(kind string) bool { return bytes.HasPrefix(head, []byte(`{"`+kind+`":`)) })
}

// Read reads a recording up to its last whole line. See [Lines].
func Read(r io.Reader) (*Recording, error) {
	lines, err := Lines(r)
	if err != nil {
		return nil, err
	}
	return NewRecording(lines), nil
}

// Lines reads the lines of a recording. It silently drops an incomplete last
// line, which kill -9 leaves: it is the block in flight. A broken line before
// the last is an error that names its number.
func Lines(r io.Reader) ([]Line, error) {
	lines, err := ReadLines(r)
	if err == nil {
		err = check(lines)
	}
	if err != nil {
		return nil, err
	}
	return lines, nil
}

// ReadLines reads lines that need not be a whole recording, and does not look at
// the lines that they refer to.
func ReadLines(r io.Reader) (lines []Line, err error) {
	for br := bufio.NewReaderSize(r, 1<<16); ; {
		text, err := ReadLine(br, longestLine)
		if errors.Is(err, io.EOF) {
			return lines, nil // the text after the last newline is incomplete
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fmt.Errorf("it has more than %d MiB", longestLine>>20)
		}
		if err != nil {
			return nil, fmt.Errorf("read result line %d: %w", len(lines)+1, err)
		}
		var l Line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("parse result line %d: %w", len(lines)+1, err)
		}
		lines = append(lines, l)
	}
}

// longestLine is the longest line that is read, in bytes: a block of 2²⁰ rounds
// has less.
const longestLine = 64 << 20

// The most variants and blocks of a benchmark are more than anyone compares: readers
// look through all their pairs. Each benchmark has a row for each variant.
const (
	mostVariants = 256
	MostBlocks   = 1000
	mostRows     = 1 << 16
)

// ReadLine reads a line with its newline. The error of a line of more than most
// bytes is [bufio.ErrBufferFull].
func ReadLine(in *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > most {
			return nil, bufio.ErrBufferFull
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// check refuses lines that refer to missing ones anywhere in the file, so that
// readers can rely on indexes.
func check(lines []Line) error {
	c := contents{counted: make(map[countKey]bool)}
	for i, l := range lines {
		if err := c.count(l); err != nil {
			return fmt.Errorf("parse result line %d: %w", i+1, err)
		}
	}
	if !c.study {
		return fmt.Errorf("read result: %w", ErrNoStudy)
	}
	if c.variants*c.benchmarks > mostRows {
		return fmt.Errorf("read result: %d benchmarks of %d variants are more than %d rows: measure fewer in one study", c.benchmarks, c.variants, mostRows)
	}
	for i, l := range lines {
		if err := c.check(l); err != nil {
			return fmt.Errorf("parse result line %d: %w", i+1, err)
		}
	}
	return nil
}

type countKey struct {
	benchmark, variant int
	unit               string
}

type contents struct {
	study                          bool
	variants, benchmarks, machines int
	counted                        map[countKey]bool
}

func (c *contents) count(l Line) error {
	if l.Benchmark != nil {
		c.benchmarks++
	}
	if l.Machine != nil {
		c.machines++
	}
	if l.Study == nil {
		return nil
	}
	if c.study {
		return errors.New("a second study")
	}
	if l.Study.Schema != RecordingSchema {
		return fmt.Errorf("schema %d is not %d: use the tare that wrote it", l.Study.Schema, RecordingSchema)
	}
	if n := len(l.Study.Variants); n > mostVariants {
		return fmt.Errorf("%d variants: more than %d", n, mostVariants)
	}
	c.study, c.variants = true, len(l.Study.Variants)
	return nil
}

func (c *contents) check(l Line) error {
	switch {
	case l.Benchmark != nil:
		return c.refers("benchmark", 0, 0, l.Benchmark.Missing...)
	case l.Pilot != nil:
		return c.refers("plan", l.Pilot.Benchmark, 0)
	case l.Block != nil:
		b := l.Block
		if b.Block < 0 || b.Try < 0 {
			return fmt.Errorf("block %d, try %d", b.Block, b.Try)
		}
		if b.Block >= MostBlocks {
			return fmt.Errorf("block %d: a benchmark has at most %d: measure again with fewer -blocks", b.Block, MostBlocks)
		}
		if b.Machine < 0 || b.Machine >= max(1, c.machines) {
			return fmt.Errorf("block of unknown machine %d", b.Machine)
		}
		return c.refers("block", b.Benchmark, max(b.PackedRounds.variants(), b.PackedCounting.variants(), b.PackedLong.variants(), len(b.FuncOrders), len(b.Processes)), b.First)
	case l.Stop != nil:
		return c.refers("stop", l.Stop.Benchmark, 0, l.Stop.Variant)
	case l.Count != nil:
		k := countKey{l.Count.Benchmark, l.Count.Variant, l.Count.Unit}
		if c.counted[k] {
			return fmt.Errorf("a second count of benchmark %d, variant %d in %q: remove one", k.benchmark, k.variant, k.unit)
		}
		c.counted[k] = true
		return c.refers("count", k.benchmark, 0, k.variant)
	case l.Changed != nil:
		for _, s := range l.Changed.Sampled {
			if s.Samples < 0 || s.Samples > s.Changed || s.Changed > s.Of {
				return fmt.Errorf("%d of %d samples", s.Samples, s.Of)
			}
			if err := c.refers("changed function", s.Benchmark, 0); err != nil {
				return err
			}
		}
		for _, b := range l.Changed.Benchmarks {
			if err := c.refers("changed function", b, 0); err != nil {
				return err
			}
		}
		if v := l.Changed.Variant; v < 1 || v >= c.variants {
			return fmt.Errorf("changed function of unknown variant %d", v)
		}
	}
	return nil
}

// refers checks the indexes of a benchmark and of variants. Columns is the
// number of variants with a column.
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
