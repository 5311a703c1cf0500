package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// WorkerVerb is the verb of tare that serves a study of another machine on
// standard input and output.
const WorkerVerb = "worker"

type shippedJob struct {
	study.Job
	Variants map[int]shipped
}

type shipped struct {
	Binary study.Binary
	File   string
	Folder string
}

type remoteResult struct {
	Lines  []byte
	Failed *study.Failed
}

// Machines measures the blocks of a study through launchers.
type Machines struct {
	*pool
	launchers []string

	mu      sync.Mutex
	folders map[string]packedFile // packed, by path
}

// Open starts to connect to the machines that launchers reach.
func Open(launchers []string, notice func(string)) (*Machines, error) {
	m := &Machines{launchers: launchers, folders: make(map[string]packedFile)}
	o := poolOptions{Args: WorkerVerb, Notice: notice}
	for _, text := range launchers {
		words, err := process.Split(text)
		if err != nil {
			return nil, fmt.Errorf("start machines: %w", err)
		}
		o.Launchers = append(o.Launchers, words)
	}
	var err error
	m.pool, err = newPool(o)
	return m, err
}

// mostLines is more than the findings, the plans and the block of a job.
const mostLines = 1000

// Measure gives a job to a free machine.
func (e *Machines) Measure(ctx context.Context, j study.Job) (m study.Measured, err error) {
	// A block waits for its workers several times.
	most := time.Duration(2 * (j.Study.TimeoutSeconds + j.Study.BudgetSeconds) * float64(time.Second))
	reply, err := e.Do(ctx, most, func(ctx context.Context) (any, []packedFile, error) { return e.ship(ctx, j) })
	if err != nil {
		return m, fmt.Errorf("measure block %d of %s: %w", j.Block, j.Benchmark.Name, err)
	}
	if m, err = readReply(reply.Body); err != nil {
		return m, fmt.Errorf("read block of %s: %w", e.launchers[reply.Slot], err)
	}
	if err := json.Unmarshal(reply.Hello, &m.Machine); err != nil {
		return m, fmt.Errorf("read facts of %s: %w", e.launchers[reply.Slot], err)
	}
	m.Machine.Name = e.launchers[reply.Slot]
	for i, l := range e.launchers[:reply.Slot] { // the same launcher may reach another machine each time
		if l == m.Machine.Name {
			m.Machine.Name = fmt.Sprintf("%s #%d", l, reply.Slot-i+1)
			break
		}
	}
	return m, nil
}

func readReply(body []byte) (m study.Measured, err error) {
	var a remoteResult
	if err := json.Unmarshal(body, &a); err != nil {
		return m, err
	}
	if n := bytes.Count(a.Lines, []byte("\n")); n > mostLines {
		return m, fmt.Errorf("it has %d lines, more than %d", n, mostLines)
	}
	m.Failed = a.Failed
	m.Lines, err = result.ReadLines(bytes.NewReader(a.Lines))
	return m, err
}

func (e *Machines) ship(ctx context.Context, j study.Job) (any, []packedFile, error) {
	bins, err := j.Binaries(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := shippedJob{Job: j, Variants: make(map[int]shipped)}
	var files []packedFile
	for v, bin := range bins {
		file, err := readFile(bin.Path)
		if err != nil {
			return nil, nil, err
		}
		folder, err := e.folder(bin.Dir)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file, folder)
		bin.Env, bin.Path, bin.Dir = nil, "", "" // for this machine only
		o.Variants[v] = shipped{Binary: bin, File: file.Name, Folder: folder.Name}
	}
	return o, files, nil
}

func (e *Machines) folder(path string) (packedFile, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f, packed := e.folders[path]; packed {
		return f, nil
	}
	f, err := readFolder(path, "testdata")
	if err == nil {
		e.folders[path] = f
	}
	return f, err
}

// Work measures the jobs of other machines that arrive on in, and answers on
// out. Each block takes the lock of this machine. The facts describe this
// machine, and tree shows it.
func Work(ctx context.Context, facts result.Machine, tree fs.FS, in io.Reader, out io.Writer) error {
	here := study.NewBlockServer(tree)
	return serve(ctx, in, out, facts, func(ctx context.Context, call json.RawMessage, path func(string) string) (any, error) {
		var o shippedJob
		if err := json.Unmarshal(call, &o); err != nil {
			return nil, fmt.Errorf("read job: %w", err)
		}
		release, err := machine.Lock(ctx, machine.LockWait, func(string) {})
		if err != nil {
			return nil, err
		}
		defer release()
		bins := make(map[int]study.Binary)
		for v, s := range o.Variants {
			bin := s.Binary
			bin.Path, bin.Dir, bin.Env = filepath.Join(path(s.File), binaryName), path(s.Folder), append(os.Environ(), bin.Extra...)
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
