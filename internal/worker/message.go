package worker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarebench/tare/internal/result"
	"github.com/tarebench/tare/unit"
)

// Kind says what a message is.
type Kind string

const (
	// Leaf announces a benchmark that can be measured; its slice is the
	// first iteration.
	Leaf Kind = "leaf"
	// Done reports a slice.
	Done Kind = "done"
	// Over says that a benchmark ended well; its slice holds the metrics
	// that were reported behind a b.Loop.
	Over Kind = "over"
	// Skip and Fail say that it did not.
	Skip Kind = "skip"
	Fail Kind = "fail"

	// ready answers a command about events, reset says that a benchmark
	// forgets what was counted so far; see [Worker.Hold].
	ready Kind = "ready"
	reset Kind = "reset"
)

// Message is a line from a worker.
type Message struct {
	Kind Kind
	// Name is the full name of the benchmark ("BenchmarkSort/size=1k"), set
	// in all but Done.
	Name string
	// Loop is how it iterates, "b.N" or "b.Loop"; set in Leaf.
	Loop string
	// Words are what it logged; set in Skip and Fail.
	Words string
	// Slice holds times in nanoseconds, and metrics in base units.
	Slice result.Slice
	// Span is how long the worker took from command to answer, set-up
	// included, in nanoseconds; set in Done.
	Span int64

	held, refused int // set in ready
}

// parse reads a line of the protocol that serve.go.txt in internal/overlay
// speaks.
func parse(line string) (Message, error) {
	word, rest, _ := strings.Cut(line, " ")
	m := Message{Kind: Kind(word)}
	broken := func(what string) (Message, error) {
		return Message{}, fmt.Errorf("parse worker line %.80q: %s", line, what)
	}
	quoted := func() (string, bool) {
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", false
		}
		s, err := strconv.Unquote(q)
		if err != nil {
			return "", false
		}
		rest = strings.TrimPrefix(rest[len(q):], " ")
		return s, true
	}
	field := func() string {
		var f string
		f, rest, _ = strings.Cut(rest, " ")
		return f
	}
	switch m.Kind {
	case Leaf, Over, Skip, Fail:
		name, ok := quoted()
		if !ok {
			return broken("no quoted name")
		}
		m.Name = name
	case ready:
		if n, err := fmt.Sscan(rest, &m.held, &m.refused); n != 2 {
			return broken(err.Error())
		}
		return m, nil
	case reset:
		return m, nil
	case Done:
	default:
		return broken("unknown word")
	}
	if m.Kind == Skip || m.Kind == Fail {
		words, ok := quoted()
		if !ok {
			return broken("no quoted words")
		}
		m.Words = words
	}
	if m.Kind == Leaf {
		switch field() {
		case "n":
			m.Loop = "b.N"
		case "loop":
			m.Loop = "b.Loop"
		default:
			return broken("unknown way of iterating")
		}
	}
	metrics := make(map[string]float64)
	if m.Kind == Leaf || m.Kind == Done {
		var v [15]int64
		for i := range v {
			n, err := strconv.ParseInt(field(), 10, 64)
			if err != nil {
				return broken(fmt.Sprintf("number %d of a slice: %v", i+1, err))
			}
			v[i] = n
		}
		var o [2]float64
		for i := range o {
			f, err := strconv.ParseFloat(field(), 64)
			if err != nil {
				return broken(fmt.Sprintf("overhead: %v", err))
			}
			o[i] = f
		}
		m.Slice = result.Slice{
			N: v[0], Raw: float64(v[1]), Pauses: v[2],
			Counted: v[3] == 1, Mallocs: uint64(v[4]), Bytes: uint64(v[5]), GCs: uint32(v[6]),
			User: float64(v[8]), System: float64(v[9]),
			GCTime: float64(v[11]), Waits: v[12], Wait50: float64(v[13]), Wait99: float64(v[14]),
			OverheadLo: o[0], OverheadHi: o[1],
		}
		m.Span = v[10]
		if v[0] < 0 || v[1] < 0 || v[2] < 0 {
			return broken("negative number")
		}
		if perOp := m.Slice.Seconds(); v[7] > 0 && perOp > 0 {
			metrics["B/s"] = float64(v[7]) / perOp
		}
	}
	for rest != "" {
		name, ok := quoted()
		if !ok {
			return broken("no quoted unit")
		}
		f, err := strconv.ParseFloat(field(), 64)
		if err != nil {
			return broken(fmt.Sprintf("metric: %v", err))
		}
		base, factor := unit.Base(name)
		metrics[base] = f * factor
	}
	if len(metrics) > 0 {
		m.Slice.Metrics = metrics
	}
	return m, nil
}
