package session

import (
	"cmp"
	"math"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/study"
)

// Watcher receives the events of a session. Its methods must not block.
type Watcher interface {
	// Progress reports the progress of the study.
	Progress(result.Progress)
	// Finished reports a benchmark that is finished.
	Finished(result.Progress)
	// Notice shows the user at once an event such as a wait for another process.
	Notice(text string)
	// Step reports a command that the session runs.
	Step(text string)
}

// Quiet is a Watcher that ignores everything.
type Quiet struct{}

func (Quiet) Progress(result.Progress) {}

func (Quiet) Finished(result.Progress) {}

func (Quiet) Notice(string) {}

func (Quiet) Step(string) {}

type progress struct {
	to     Watcher
	enough func(blocks []result.Block) bool
	// blocks is the planned number of blocks, which the error rate depends on. A
	// resumed study may end earlier.
	blocks int

	mu sync.Mutex // events also come from goroutines that link
	// last is the state of each benchmark at its last block. Benchmarks take
	// turns, so one may be finished while another is measured.
	last map[result.Key]observed
}

type observed struct {
	result.Progress
	decision study.Decision
	head     result.Study // of a comparison
}

// Observe judges a benchmark after a block.
func (w *progress) Observe(head result.Study, b result.Benchmark) study.Decision {
	if w.enough != nil {
		return study.Decision{Done: w.enough(b.Blocks), Reason: "budget"}
	}
	head.MaxBlocks = w.blocks
	p := result.Progress{Name: b.Name, Ratio: math.NaN(), Blocks: len(b.Blocks), Unit: "sec/op"}
	for _, k := range b.Blocks {
		p.Rounds += k.RoundCount()
	}
	if len(head.Variants) == 1 {
		if rows := judge.Measure(head, b); len(rows) > 0 {
			p.Value, p.Unit = rows[0].New, rows[0].Unit
		}
		w.keep(b.Key, observed{Progress: p})
		return study.Decision{}
	}
	if last, known := w.known(b.Key); known && !judge.Due(head, b) {
		last.Blocks, last.Rounds = p.Blocks, p.Rounds
		w.keep(b.Key, last)
		return last.decision
	}
	d := study.Decision{Done: true}
	for v := 1; v < len(head.Variants); v++ {
		j := judge.Judge(head, b, 0, v)
		d.Done = d.Done && j.Done
		d.Reason = j.Reason
		d.Needed, d.Alone = max(d.Needed, j.Needed), d.Alone || j.Alone
		if v == 1 {
			show(&p, j)
		}
	}
	w.keep(b.Key, observed{p, d, head})
	return d
}

func show(p *result.Progress, j judge.Judgment) {
	if len(j.Rows) == 0 {
		return
	}
	c := j.Rows[0].Change
	p.Lo, p.Hi, p.Verdict, p.Unit = c.Lo, c.Hi, j.Rows[0].Verdict, j.Rows[0].Unit
	if p.Hi > 0 && !math.IsInf(p.Hi, 0) { // a change without an interval would stay until the first look
		p.Ratio = c.Ratio
	}
}

func (w *progress) known(k result.Key) (observed, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o, known := w.last[k]
	return o, known
}

func (w *progress) keep(k result.Key, o observed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last[k] = o
}

// Event reports an event of the study.
func (w *progress) Event(e study.Event) {
	last, known := w.known(e.Benchmark.Key)
	p := last.Progress
	if !known || e.Phase != "measuring" && e.Phase != "finished" {
		p = result.Progress{Ratio: math.NaN()}
	}
	p.Index, p.Total, p.Name, p.Phase = min(e.Done+1, e.Total), e.Total, cmp.Or(e.Benchmark.Name, e.Benchmark.Pkg), e.Phase
	if e.Phase == "finished" {
		p.Index = e.Done
	}
	p.Rounds, p.Blocks, p.Left, p.Reach = e.Rounds, e.Blocks, e.Left, e.Reach
	if e.Phase != "finished" {
		w.to.Progress(p)
		return
	}
	switch e.Reason {
	case "budget":
		if len(last.head.Variants) > 1 && last.head.TotalSeconds == 0 {
			show(&p, judge.Ended(last.head, e.Benchmark, 0, 1)) // as the table will
		}
	case "failed":
		p.Verdict = result.Failed
	case "skipped", "one side only", "interrupted", result.SameCode, result.StopNotReached:
		return
	}
	w.to.Finished(p)
}
