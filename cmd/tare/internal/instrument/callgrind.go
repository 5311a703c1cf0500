package instrument

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Place identifies a function as callgrind reported it.
type Place struct {
	Name string
	File string
}

// Cost is the cost of one function, without the functions that it calls.
type Cost struct {
	Instructions uint64
	// File and Line are the line with the most instructions. If the line is in an
	// inlined function, they are in its file.
	File string
	Line int

	lineCost uint64
}

// Part is one dump of a callgrind file.
type Part struct {
	// Label is the text of the client request that made the dump. It is empty
	// for other dumps.
	Label string
	// Self contains the cost of every function. Levels of recursion are added
	// up.
	Self map[Place]*Cost
}

const requestTrigger = "Trigger: Client Request: "

// recursion is callgrind's mark for the second and deeper activation.
var recursion = regexp.MustCompile(`'\d+$`)

// parseCallgrind reads a callgrind profile (version 1, positions: line, nothing
// compressed), one part per dump. The format is described in valgrind's manual,
// "Callgrind Format Specification". An error names the line.
func parseCallgrind(r io.Reader) ([]Part, error) {
	var p callgrindParser
	br := bufio.NewReaderSize(r, 1<<16)
	for number := 1; ; number++ {
		text, err := br.ReadString('\n')
		if text != "" {
			if err := p.line(strings.TrimRight(text, "\r\n")); err != nil {
				return nil, fmt.Errorf("parse callgrind line %d: %w", number, err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read callgrind line %d: %w", number, err)
		}
	}
	if len(p.parts) == 0 {
		return nil, errors.New("parse callgrind: no events line: not a callgrind profile")
	}
	return p.parts, nil
}

type callgrindParser struct {
	parts  []Part
	label  string
	inPart bool

	file     string // of the function
	lineFile string // of the cost line, which differs for inlined code
	fn       Place
	// afterCall: the next cost line belongs to the call
	afterCall bool
}

func (p *callgrindParser) line(s string) error {
	if s == "" || s[0] == '#' {
		return nil
	}
	if c := s[0]; c >= '0' && c <= '9' {
		return p.cost(s)
	}
	key, value, ok := strings.Cut(s, "=")
	if ok && !strings.ContainsAny(key, ": ") {
		p.assign(key, value)
		return nil
	}
	key, value, ok = strings.Cut(s, ":")
	if !ok {
		return fmt.Errorf("neither a cost, a name nor a header: %.40q", s)
	}
	return p.header(key, strings.TrimSpace(value))
}

func (p *callgrindParser) header(key, value string) error {
	switch key {
	case "part":
		p.label, p.inPart = "", false
	case "desc":
		if label, ok := strings.CutPrefix(value, requestTrigger); ok {
			p.label = label
		}
	case "positions":
		if value != "line" {
			return fmt.Errorf("positions: %.40s: only \"line\" is supported", value)
		}
	case "events":
		if value != "Ir" {
			return fmt.Errorf("events: %.40s: only \"Ir\" is supported", value)
		}
		p.parts = append(p.parts, Part{Label: p.label, Self: map[Place]*Cost{}})
		p.inPart, p.afterCall = true, false
		p.fn = Place{}
	}
	return nil
}

func (p *callgrindParser) assign(key, value string) {
	switch key {
	case "fl":
		p.file, p.lineFile = value, value
	case "fi", "fe":
		p.lineFile = value
	case "fn":
		p.fn = Place{recursion.ReplaceAllString(value, ""), p.file}
		p.lineFile = p.file
	case "calls":
		p.afterCall = true
	}
}

func (p *callgrindParser) cost(s string) error {
	if !p.inPart {
		return errors.New("a cost before the events line")
	}
	part := &p.parts[len(p.parts)-1]
	fields := strings.Fields(s)
	line, err := strconv.Atoi(fields[0])
	if err != nil {
		return fmt.Errorf("position %.20q: %w", fields[0], err)
	}
	var cost uint64
	switch len(fields) {
	case 1: // callgrind omits zeros
	case 2:
		if cost, err = strconv.ParseUint(fields[1], 10, 64); err != nil {
			return fmt.Errorf("cost %.20q: %w", fields[1], err)
		}
	default:
		return fmt.Errorf("%d costs for one event", len(fields)-1)
	}
	if p.afterCall {
		p.afterCall = false // inclusive: already a self cost of another function
		return nil
	}
	c := part.Self[p.fn]
	if c == nil {
		c = new(Cost)
		part.Self[p.fn] = c
	}
	c.Instructions += cost
	if cost > c.lineCost {
		c.File, c.Line, c.lineCost = p.lineFile, line, cost
	}
	return nil
}
