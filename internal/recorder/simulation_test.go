package recorder

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/internal/history"
	"github.com/tarebench/tare/internal/session"
)

// score is what a rule did in histories whose changes are known.
type score struct {
	histories, steps2, located, inTime, steps5, located5 int
	reported, unfounded, small                           int
	confirmations, undecided                             int
}

func (s *score) add(o score) {
	s.histories += o.histories
	s.steps2, s.located, s.inTime = s.steps2+o.steps2, s.located+o.located, s.inTime+o.inTime
	s.steps5, s.located5 = s.steps5+o.steps5, s.located5+o.located5
	s.reported, s.unfounded, s.small = s.reported+o.reported, s.unfounded+o.unfounded, s.small+o.small
	s.confirmations, s.undecided = s.confirmations+o.confirmations, s.undecided+o.undecided
}

func share(a, b int) string { return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(max(b, 1))) }

// latest is how many commits after a step it must be reported.
const latest = 3

// when is a change that a rule reported at a commit, after head.
type when struct{ at, head int }

// score compares reported changes with the true ones. A step within the last
// commits has had no time. A creep of 0.005% is no change.
func (w *world) score(b *benchmarkTruth, reported []when) (s score) {
	for k, step := range b.steps {
		if k+latest >= len(w.commits) {
			continue
		}
		located, inTime := false, false
		for _, r := range reported {
			near := r.at >= k-1 && r.at <= k+1
			located = located || near
			inTime = inTime || near && r.head <= k+latest
		}
		switch size := math.Abs(math.Expm1(step)); {
		case size > 0.04:
			s.steps5++
			s.located5 += one(located)
		case size > 0.015:
			s.steps2++
			s.located += one(located)
			s.inTime += one(inTime)
		}
	}
	for _, r := range reported {
		s.reported++
		s.unfounded += one(b.steps[r.at] == 0)
		s.small += one(b.steps[r.at] != 0 && math.Abs(b.steps[r.at]) < 0.015)
	}
	return s
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// record records every commit of a world but those it leaves out.
func (w *world) record() (s score) {
	s.histories = 1
	var line []string
	for _, c := range w.commits {
		line = append(line, c.Hash)
	}
	graph := history.NewGraph(nil, line)
	reported := make(map[history.Key][]when)
	open := make(map[history.Key][]history.Candidate)
	for head := 1; head < len(w.commits); head++ {
		if w.skipped[head] {
			continue
		}
		r := &run{graph: graph, line: w.commits[:head+1], open: open, tried: make(map[question]bool),
			spec: Spec{Session: session.Spec{Alpha: 0.05}, Now: func() time.Time { return time.Unix(0, 0) }, Compare: w.compare(head)},
			keep: func(context.Context, history.Entry) (string, error) { return "", nil }}
		r.out.Commit = w.commits[head]
		tag := (head - 1) / tagEvery * tagEvery
		if err := r.edges(context.Background(), []history.Commit{w.commits[head-1], w.commits[tag]}, time.Time{}); err != nil {
			panic(err)
		}
		if err := r.decide(context.Background(), time.Time{}); err != nil {
			panic(err)
		}
		graph = r.graph
		for _, d := range r.out.Decisions {
			s.confirmations++
			s.undecided += one(d.Undecided)
			if d.Found {
				reported[d.Key()] = append(reported[d.Key()], when{w.number[d.Commit], head})
			}
		}
	}
	for i := range w.marks {
		s.add(w.score(&w.marks[i], reported[w.marks[i].key]))
	}
	return s
}

// rival reports with a rule on points.
func (w *world) rival(drift float64, rule func(y []float64) []int) (s score) {
	s.histories = 1
	for i := range w.marks {
		b := &w.marks[i]
		y, at := w.points(b, drift)
		var reported []when
		for _, j := range rule(y) {
			reported = append(reported, when{at[j], len(w.commits)})
		}
		// In time is what the rule finds with the points up to then.
		for k, step := range b.steps {
			if math.Abs(math.Abs(math.Expm1(step))-0.02) > 0.005 {
				continue
			}
			n, _ := slices.BinarySearch(at, k+latest+1)
			for _, j := range rule(y[:n]) {
				if at[j] >= k-1 && at[j] <= k+1 && !slices.ContainsFunc(reported, func(r when) bool { return r.at == at[j] }) {
					// It was reported once, and taken back later.
					reported = append(reported, when{at[j], k + latest})
				} else {
					for i := range reported {
						if reported[i].at == at[j] {
							reported[i].head = min(reported[i].head, k+latest)
						}
					}
				}
			}
		}
		s.add(w.score(b, reported))
	}
	return s
}

// threshold reports every point that is 5% away from the one before.
func threshold(y []float64) (changes []int) {
	for i := 1; i < len(y); i++ {
		if math.Abs(y[i]/y[i-1]-1) > 0.05 {
			changes = append(changes, i)
		}
	}
	return changes
}

func otava(y []float64) []int { return eDivisive(y, 50, 0.001) }

// TestHistories simulates histories with known changes, through the code that
// records them: what is simulated is the outcome of a comparison and the
// blocks of a confirmation. docs/results/history.md has the outcome of the
// long form.
func TestHistories(t *testing.T) {
	t.Parallel()
	n, commits, rivals := 4, 120, 2
	if os.Getenv("TARE_LONG") != "" {
		n, commits, rivals = 1000, 500, 1000
		if v, err := strconv.Atoi(os.Getenv("TARE_HISTORIES")); err == nil {
			n = v
		}
	}
	began := time.Now()
	var mu sync.Mutex
	var tare score
	done := 0
	rival := make([]score, 4)
	rows := []string{"E-divisive, quiet points", "E-divisive, drifting points", "5% threshold, quiet points", "5% threshold, drifting points"}
	log := func() {
		t.Logf("%d histories of %d commits and %d benchmarks, %.0f s", tare.histories, commits, benchmarks, time.Since(began).Seconds())
		t.Logf("| rule | histories | reported | false | of 2%% steps within ±1 | and in time | of 5%% steps within ±1 |")
		line := func(name string, s score) {
			t.Logf("| %s | %d | %d | %s | %s of %d | %s | %s of %d |", name, s.histories, s.reported, share(s.unfounded, s.reported),
				share(s.located, s.steps2), s.steps2, share(s.inTime, s.steps2), share(s.located5, s.steps5), s.steps5)
		}
		line("tare history", tare)
		for i, name := range rows {
			line(name, rival[i])
		}
		t.Logf("%d confirmations, %d undecided, %d changes of 1%% among those reported", tare.confirmations, tare.undecided, tare.small)
	}
	seeds := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for seed := range seeds {
				s := newWorld(commits, uint64(seed)).record()
				mu.Lock()
				tare.add(s)
				mu.Unlock()
				for i := range rows {
					if seed >= rivals {
						break
					}
					rule, drift := otava, 0.02*float64(i%2)
					if i >= 2 {
						rule = threshold
					}
					s := newWorld(commits, uint64(seed)).rival(drift, rule)
					mu.Lock()
					rival[i].add(s)
					mu.Unlock()
				}
				mu.Lock()
				if done++; done%100 == 0 && done < n {
					log() // the long form takes half an hour
				}
				mu.Unlock()
			}
		})
	}
	for seed := range n {
		seeds <- seed
	}
	close(seeds)
	wait.Wait()
	log()
	if tare.steps2 < n*benchmarks/2 {
		t.Errorf("only %d steps of 2%%", tare.steps2)
	}
	slack := 0.0
	if n < 100 {
		slack = 4 * math.Sqrt(0.1*0.9/float64(tare.steps2))
	}
	if v := float64(tare.unfounded) / float64(tare.reported); v > 0.05+slack {
		t.Errorf("%.3f of the reported changes are false, want 0.05 at most", v)
	}
	if v := float64(tare.inTime) / float64(tare.steps2); v < 0.90-slack {
		t.Errorf("%.3f of the steps of 2%% were located and reported in time, want 0.90", v)
	}
}
