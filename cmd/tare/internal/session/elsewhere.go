package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/remote"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// CheckOn refuses what cannot be measured on other machines, before anything is
// built.
func (s Spec) CheckOn() error {
	if len(s.On) == 0 {
		return nil
	}
	for _, text := range s.On {
		if _, err := remote.Split(text); err != nil {
			return fmt.Errorf("flag -on: %w", err)
		}
	}
	switch {
	case runtime.GOOS == "windows":
		return errors.New("flag -on: it starts a shell on the other machine and sends it this program, which windows cannot do: measure here, or use -shard")
	case s.TotalSeconds > 0:
		return errors.New("flags -on and -total: a total is spent on one machine: give -budget, or leave -on out")
	case s.Counters:
		return errors.New("flags -on and -counters: counters are read on one machine: leave one of them out")
	case s.Lock != machine.LockWait:
		return errors.New("flags -on and -lock: other machines wait for whoever measures there: leave -lock out")
	}
	return nil
}

// WorkerVerb is the verb of tare that serves a study of another machine on
// standard input and output.
const WorkerVerb = "worker"

// order is a job as another machine gets it: its binaries are files.
type order struct {
	study.Job
	Variants map[int]shipped
}

// shipped is a test binary, a file, and the folder to run it in.
type shipped struct {
	Binary study.Binary
	File   string
	Folder string
}

// remoteResult is what a machine measured, its lines as in a recording.
type remoteResult struct {
	Lines  []byte
	Failed *study.Failed
}

// elsewhere measures blocks through launchers.
type elsewhere struct {
	pool      *remote.Pool
	launchers []string

	mu      sync.Mutex
	folders map[string]remote.File // packed, by path
}

// openElsewhere starts to connect to the machines of a specification.
func openElsewhere(spec Spec, notice func(string)) (*elsewhere, error) {
	e := &elsewhere{launchers: spec.On, folders: make(map[string]remote.File)}
	o := remote.Options{Args: WorkerVerb, Notice: notice}
	for _, text := range spec.On {
		words, err := remote.Split(text)
		if err != nil {
			return nil, fmt.Errorf("start machines: %w", err)
		}
		o.Launchers = append(o.Launchers, words)
	}
	var err error
	e.pool, err = remote.NewPool(o)
	return e, err
}

// Measure gives a job to a machine that is free.
func (e *elsewhere) Measure(ctx context.Context, j study.Job) (m study.Measured, err error) {
	reply, err := e.pool.Do(ctx, func(ctx context.Context) (any, []remote.File, error) { return e.order(ctx, j) })
	if err != nil {
		return m, fmt.Errorf("measure block %d of %s: %w", j.Block, j.Benchmark.Name, err)
	}
	var a remoteResult
	if err := json.Unmarshal(reply.Body, &a); err != nil {
		return m, fmt.Errorf("read block of %s: %w", e.launchers[reply.Slot], err)
	}
	if err := json.Unmarshal(reply.Hello, &m.Machine); err != nil {
		return m, fmt.Errorf("read facts of %s: %w", e.launchers[reply.Slot], err)
	}
	m.Machine.Name = e.launchers[reply.Slot]
	for i, l := range e.launchers[:reply.Slot] { // the same launcher may reach another machine
		if l == m.Machine.Name {
			m.Machine.Name = fmt.Sprintf("%s #%d", l, reply.Slot-i+1)
			break
		}
	}
	m.Lines, err = result.ReadLines(bytes.NewReader(a.Lines))
	m.Failed = a.Failed
	return m, err
}

// order links the binaries of a job and packs them.
func (e *elsewhere) order(ctx context.Context, j study.Job) (any, []remote.File, error) {
	bins, err := j.Binaries(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := order{Job: j, Variants: make(map[int]shipped)}
	var files []remote.File
	for v, bin := range bins {
		file, err := remote.ReadFile(bin.Path)
		if err != nil {
			return nil, nil, err
		}
		folder, err := e.folder(bin.Dir)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file, folder)
		bin.Env, bin.Path, bin.Dir = nil, "", "" // of this machine
		o.Variants[v] = shipped{Binary: bin, File: file.Name, Folder: folder.Name}
	}
	return o, files, nil
}

// folder packs the folder of a package: its files, and testdata.
func (e *elsewhere) folder(path string) (remote.File, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f, packed := e.folders[path]; packed {
		return f, nil
	}
	f, err := remote.ReadFolder(path, "testdata")
	if err == nil {
		e.folders[path] = f
	}
	return f, err
}

// Work measures what other machines ask for on in, and answers on out. Each
// block takes the lock of this machine.
func Work(ctx context.Context, host Host, in io.Reader, out io.Writer) error {
	facts, _ := lookAtMachine(ctx, host, os.TempDir())
	here := study.NewHere(host.Tree)
	return remote.Serve(ctx, in, out, facts, func(ctx context.Context, call json.RawMessage, path func(string) string) (any, error) {
		var o order
		if err := json.Unmarshal(call, &o); err != nil {
			return nil, fmt.Errorf("read order: %w", err)
		}
		release, err := machine.Lock(ctx, machine.LockWait, func(string) {})
		if err != nil {
			return nil, err
		}
		defer release()
		bins := make(map[int]study.Binary)
		for v, s := range o.Variants {
			bin := s.Binary
			bin.Path, bin.Dir, bin.Env = path(s.File), path(s.Folder), append(os.Environ(), bin.Extra...)
			bins[v] = bin
		}
		m, err := here.Measure(ctx, o.Job, bins)
		if err != nil {
			return nil, err
		}
		var lines bytes.Buffer
		w := result.NewWriter(&lines)
		for _, l := range m.Lines {
			err = errors.Join(err, w.Write(l))
		}
		return remoteResult{Lines: lines.Bytes(), Failed: m.Failed}, err
	})
}
