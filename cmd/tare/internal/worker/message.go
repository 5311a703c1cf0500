package worker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/overlay/board"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/unit"
)

// Kind is the kind of a message.
type Kind string

const (
	// Leaf announces a benchmark that can be measured. Its slice is the first
	// iteration.
	Leaf Kind = "leaf"
	// Done reports a slice.
	Done Kind = "done"
	// Over reports that a benchmark ended well. Its slice has the metrics that
	// were reported after a b.Loop.
	Over Kind = "over"
	// Skip and Fail report that it did not.
	Skip Kind = "skip"
	Fail Kind = "fail"

	// hello is the first message: the version of the protocol.
	hello Kind = "hello"
	// ran reports that the last slot of a batch was taken.
	ran Kind = "ran"
)

// Message is a line from a worker.
type Message struct {
	Kind Kind
	// Name is the full name of the benchmark ("BenchmarkSort/size=1k"). It is
	// set in all kinds except Done.
	Name string
	// Loop is its kind of loop, "b.N" or "b.Loop", set in Leaf.
	Loop string
	// CPUs are the CPUs of all its threads from now on. It is empty if the
	// scheduler chooses. It is set in Leaf.
	CPUs string
	// Words are the log of the benchmark, set in Skip and Fail.
	Words string
	// Slice has times in nanoseconds, and metrics in base units. Its Span is set in
	// Done.
	Slice result.Slice

	protocol int64 // set in hello
	board    bool  // set in hello: the worker maps the shared memory
}

type parser struct {
	rest string
	err  error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.rest = ""
}

func (p *parser) word(separator string) string {
	word, rest, _ := strings.Cut(p.rest, separator)
	p.rest = rest
	return word
}

func (p *parser) text() string {
	q, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		p.fail("no quoted text")
		return ""
	}
	s, _ := strconv.Unquote(q) // which QuotedPrefix has checked
	p.rest = strings.TrimPrefix(p.rest[len(q):], " ")
	return s
}

func (p *parser) count() int64 {
	n, err := strconv.ParseInt(p.word(" "), 10, 64)
	switch {
	case err != nil:
		p.fail("number: %v", err)
	case n < 0:
		p.fail("negative number")
	}
	return n
}

func (p *parser) float() float64 {
	f, err := strconv.ParseFloat(p.word(" "), 64)
	if err != nil {
		p.fail("number: %v", err)
	}
	return f
}

// parse reads a line of the protocol that internal/overlay/serving implements: a
// word, then named fields.
func parse(line string) (Message, error) {
	p := parser{rest: line}
	m := Message{Kind: Kind(p.word(" "))}
	switch m.Kind {
	case Leaf, Done, Over, Skip, Fail, hello, ran:
	default:
		return Message{}, fmt.Errorf("parse worker line %.80q: unknown word", line)
	}
	var bytes int64
	for p.rest != "" && p.err == nil {
		if name := p.word("="); name == "setbytes" {
			bytes = p.count()
		} else {
			p.field(&m, name)
		}
	}
	switch {
	case p.err != nil:
	case m.Name == "" && (m.Kind == Leaf || m.Kind == Over || m.Kind == Skip || m.Kind == Fail):
		p.fail("no name")
	case m.Kind == Leaf && m.Loop != "b.N" && m.Loop != "b.Loop":
		p.fail("unknown loop %q", m.Loop)
	case m.Kind == Done && m.Slice.N == 0:
		p.fail("no iterations")
	}
	if p.err != nil {
		return Message{}, fmt.Errorf("parse worker line %.80q: %w", line, p.err)
	}
	if err := m.Slice.Check(); err != nil {
		return Message{}, fmt.Errorf("parse worker line %.80q: %w", line, err)
	}
	setBytes(&m.Slice, bytes)
	return m, nil
}

// field reads the value of a field. It skips an unknown field, since a later
// version may add some.
func (p *parser) field(m *Message, name string) {
	s := &m.Slice
	switch name {
	case "protocol":
		m.protocol = p.count()
	case "board":
		p.word(" ")
		m.board = true
	case "name":
		m.Name = p.text()
	case "words":
		m.Words = p.text()
	case "loop":
		m.Loop = p.word(" ")
	case "cpus":
		m.CPUs = p.word(" ")
	case "metric":
		name := p.text()
		setMetric(s, name, p.float())
	case "n":
		s.N = p.count()
	case "raw":
		s.Raw = float64(p.count())
	case "pauses":
		s.Pauses = p.count()
	case "flags":
		flags := p.count()
		s.Counted = flags&board.Counted != 0
		s.Collected = flags&board.Collected != 0
		s.Followed = flags&board.Followed != 0
	case "delay":
		s.Delay = float64(p.count())
	case "mallocs":
		s.Mallocs = uint64(p.count())
	case "bytes":
		s.Bytes = uint64(p.count())
	case "gcs":
		s.GCs = uint32(p.count())
	case "cputime":
		s.CPUTime = float64(p.count())
	case "span":
		s.Span = float64(p.count())
	case "maxdelay":
		s.MaxDelay = p.float() * s.Raw
	case "busy":
		s.CPUs = p.float()
	case "lo":
		s.OverheadLo = p.float()
	case "hi":
		s.OverheadHi = p.float()
	default:
		p.word(" ")
	}
}

// setMetric notes a metric in its base unit. A metric that the framework
// reports itself ("ns/op", "B/op", "allocs/op", "MB/s") overrides it.
func setMetric(s *result.Slice, name string, value float64) {
	if s.Metrics == nil {
		s.Metrics = make(map[string]float64)
	}
	base, factor := unit.Base(name)
	s.Metrics[base] = value * factor
}

// setBytes notes the bytes of an operation. The benchmark's own rate overrides
// them.
func setBytes(s *result.Slice, bytes int64) {
	if _, overridden := s.Metrics["B/s"]; !overridden {
		s.SetBytes = max(0, bytes)
	}
}
