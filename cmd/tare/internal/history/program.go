package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// Program is a store after another program, which is started by the first
// use: it reads requests as lines of JSON from standard input, {"op":"put",
// "name":…,"data":…}, {"op":"list"} and {"op":"get","name":…} with data in
// base64, and answers each by a line {"names":…}, {"data":…} or {"error":…}.
type Program struct {
	command []string
	mu      sync.Mutex
	in      io.WriteCloser
	write   *json.Encoder
	read    *json.Decoder
	cmd     *exec.Cmd
	stderr  strings.Builder
}

type request struct {
	Op   string `json:"op"`
	Name string `json:"name,omitempty"`
	Data []byte `json:"data,omitempty"`
}

type answer struct {
	Error string   `json:"error"`
	Names []string `json:"names"`
	Data  []byte   `json:"data"`
}

// OpenProgram uses a program and its arguments.
func OpenProgram(command ...string) *Program { return &Program{command: command} }

// Close ends the program.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	err := errors.Join(p.in.Close(), p.cmd.Wait())
	p.cmd = nil
	return err
}

func (p *Program) ask(r request) (a answer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		if err := p.start(); err != nil {
			return a, err
		}
	}
	if err = p.write.Encode(r); err == nil {
		err = p.read.Decode(&a)
	}
	if err != nil { // it has ended, or says what it should not
		p.in.Close()
		p.cmd.Wait()
		p.cmd = nil
		return a, fmt.Errorf("%s: %w: %s", p.command[0], err, strings.TrimSpace(p.stderr.String()))
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

func (p *Program) start() (err error) {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	p.stderr.Reset()
	cmd.Stderr = &p.stderr
	if p.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.write, p.read = cmd, json.NewEncoder(p.in), json.NewDecoder(out)
	return nil
}

// Put adds a file.
func (p *Program) Put(_ context.Context, name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if _, err := p.ask(request{Op: "put", Name: name, Data: data}); err != nil {
		return fmt.Errorf("write history study: %w", err)
	}
	return nil
}

// List returns the names of all files.
func (p *Program) List(context.Context) ([]string, error) {
	a, err := p.ask(request{Op: "list"})
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	names := slices.DeleteFunc(a.Names, func(name string) bool { return !fileName.MatchString(name) })
	slices.Sort(names)
	return names, nil
}

// Get reads a file.
func (p *Program) Get(_ context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	a, err := p.ask(request{Op: "get", Name: name})
	if err != nil {
		return nil, fmt.Errorf("read history study: %w", err)
	}
	return a.Data, nil
}
