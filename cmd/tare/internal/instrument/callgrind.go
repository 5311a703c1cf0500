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

// parseCallgrind reads a callgrind profile (version 1, positions: line), one
// part per dump. The format is described in valgrind's manual, "Callgrind
// Format Specification". An error names the line.
func parseCallgrind(r io.Reader) ([]Part, error) {
	p := callgrindParser{files: map[string]string{}, functions: map[string]string{}}
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
	files, functions map[string]string // compressed names, one space each

	parts  []Part
	label  string
	inPart bool

	file     string // of the function
	lineFile string // of the cost line, which differs for inlined code
	fn       Place
	// afterCall: the next cost line belongs to the call
	afterCall bool
	last      int
}

func (p *callgrindParser) line(s string) error {
	if s == "" || s[0] == '#' {
		return nil
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9', c == '+', c == '-', c == '*':
		return p.cost(s)
	}
	key, value, ok := strings.Cut(s, "=")
	if ok && !strings.ContainsAny(key, ": ") {
		return p.assign(key, value)
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
		p.inPart, p.afterCall, p.last = true, false, 0
		p.fn = Place{}
	}
	return nil
}

func (p *callgrindParser) assign(key, value string) error {
	switch key {
	case "fl":
		name, err := expand(p.files, value)
		if err != nil {
			return err
		}
		p.file, p.lineFile = name, name
	case "fi", "fe":
		name, err := expand(p.files, value)
		if err != nil {
			return err
		}
		p.lineFile = name
	case "fn":
		name, err := expand(p.functions, value)
		if err != nil {
			return err
		}
		p.fn = Place{recursion.ReplaceAllString(name, ""), p.file}
		p.lineFile = p.file
	case "cfi", "cfl":
		if _, err := expand(p.files, value); err != nil {
			return err
		}
	case "cfn":
		if _, err := expand(p.functions, value); err != nil {
			return err
		}
	case "calls":
		p.afterCall = true
	}
	return nil // objects, jumps
}

// expand resolves "(12) name", which defines a name, and "(12)", which refers
// to it.
func expand(names map[string]string, value string) (string, error) {
	if !strings.HasPrefix(value, "(") {
		return value, nil
	}
	id, name, ok := strings.Cut(value, ")")
	if !ok {
		return "", fmt.Errorf("name %.40q: no closing parenthesis", value)
	}
	if name = strings.TrimSpace(name); name != "" {
		names[id] = name
		return name, nil
	}
	name, ok = names[id]
	if !ok {
		return "", fmt.Errorf("name %.40q was never defined", value)
	}
	return name, nil
}

func (p *callgrindParser) cost(s string) error {
	if !p.inPart {
		return errors.New("a cost before the events line")
	}
	part := &p.parts[len(p.parts)-1]
	fields := strings.Fields(s)
	line, err := position(fields[0], p.last)
	if err != nil {
		return err
	}
	p.last = line
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

// position resolves "12", "+3", "-3" and "*". The last three are relative to
// the previous line.
func position(s string, last int) (int, error) {
	if s == "*" {
		return last, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("position %.20q: %w", s, err)
	}
	if s[0] == '+' || s[0] == '-' {
		n += last
	}
	return n, nil
}
