package history

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/internal/session"
)

// score is the record of a rule in histories whose changes are known.
type score struct {
	Histories                  int
	Steps2, Located, InTime    int // steps of 2%
	Steps5, Located5           int // and of 5%
	Reported, Unfounded, Small int
	Confirmations, Undecided   int
}

func (s *score) add(o score) {
	s.Histories += o.Histories
	s.Steps2, s.Located, s.InTime = s.Steps2+o.Steps2, s.Located+o.Located, s.InTime+o.InTime
	s.Steps5, s.Located5 = s.Steps5+o.Steps5, s.Located5+o.Located5
	s.Reported, s.Unfounded, s.Small = s.Reported+o.Reported, s.Unfounded+o.Unfounded, s.Small+o.Small
	s.Confirmations, s.Undecided = s.Confirmations+o.Confirmations, s.Undecided+o.Undecided
}

func percent(a, b int) string { return fmt.Sprintf("%.1f%%", 100*float64(a)/float64(max(b, 1))) }

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
			s.Steps5++
			s.Located5 += one(located)
		case size > 0.015:
			s.Steps2++
			s.Located += one(located)
			s.InTime += one(inTime)
		}
	}
	for _, r := range reported {
		s.Reported++
		s.Unfounded += one(b.steps[r.at] == 0)
		s.Small += one(b.steps[r.at] != 0 && math.Abs(b.steps[r.at]) < 0.015)
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
	s.Histories = 1
	var files []File
	reported := make(map[Key][]when)
	open := make(map[Key][]Candidate)
	for head := 1; head < len(w.commits); head++ {
		if w.skipped[head] {
			continue
		}
		r := &recorder{files: files, line: w.commits[:head+1], open: open, tried: make(map[question]bool),
			spec: Spec{Session: session.Spec{Plan: result.Plan{Alpha: 0.05}}, Now: func() time.Time { return time.Unix(0, 0) }, Compare: w.compare(head)},
			keep: func(context.Context, Entry) (string, error) { return "", nil }}
		r.out.Commit = w.commits[head]
		r.load()
		tag := (head - 1) / tagEvery * tagEvery
		if err := r.edges(context.Background(), []Commit{w.commits[head-1], w.commits[tag]}, time.Time{}); err != nil {
			panic(err)
		}
		if err := r.decide(context.Background(), time.Time{}); err != nil {
			panic(err)
		}
		files = r.files
		for _, d := range r.out.Decisions {
			s.Confirmations++
			s.Undecided += one(d.Undecided)
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
	s.Histories = 1
	for i := range w.marks {
		b := &w.marks[i]
		y, at := w.points(b, drift)
		var reported []when
		for _, j := range rule(y) {
			reported = append(reported, when{at[j], len(w.commits)})
		}
		// In time means found with the points up to then.
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

// scores has the scores of one piece of a simulation: of tare, and of the rivals
// in the order of rivals.
type scores struct {
	Tare   score
	Rivals [4]score
}

var rivals = [4]string{"E-divisive, quiet points", "E-divisive, drifting points", "5% threshold, quiet points", "5% threshold, drifting points"}

func (s *scores) add(o scores) {
	s.Tare.add(o.Tare)
	for i := range o.Rivals {
		s.Rivals[i].add(o.Rivals[i])
	}
}

// simulate scores all rules in one world.
func simulate(commits int, seed uint64, beside bool) (s scores) {
	s.Tare = newWorld(commits, seed).record()
	if !beside {
		return s
	}
	for i := range rivals {
		rule, drift := otava, 0.02*float64(i%2)
		if i >= 2 {
			rule = threshold
		}
		s.Rivals[i] = newWorld(commits, seed).rival(drift, rule)
	}
	return s
}

func (s scores) log(t *testing.T) {
	t.Helper()
	t.Logf("| rule | histories | reported | false | of 2%% steps within ±1 | and in time | of 5%% steps within ±1 |")
	line := func(name string, s score) {
		t.Logf("| %s | %d | %d | %s | %s of %d | %s | %s of %d |", name, s.Histories, s.Reported, percent(s.Unfounded, s.Reported),
			percent(s.Located, s.Steps2), s.Steps2, percent(s.InTime, s.Steps2), percent(s.Located5, s.Steps5), s.Steps5)
	}
	line("tare history", s.Tare)
	for i, name := range rivals {
		line(name, s.Rivals[i])
	}
	t.Logf("%d false; %d confirmations, %d undecided, %d changes of 1%% among those reported", s.Tare.Unfounded, s.Tare.Confirmations, s.Tare.Undecided, s.Tare.Small)
}

// keep appends the scores to a file, a line of JSON a piece, and returns the
// sum of all pieces in it.
func (s scores) keep(file string) (all scores, err error) {
	line, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o666)
	if err != nil {
		return s, err
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return s, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return s, err
	}
	for d := json.NewDecoder(f); ; {
		var piece scores
		if err := d.Decode(&piece); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all.add(piece)
	}
}

// seeds reads how many histories, or which of them, as in 500-600: from the
// first to before the last.
func seeds(text string) (first, last int, err error) {
	if from, to, piece := strings.Cut(text, "-"); piece {
		if first, err = strconv.Atoi(from); err != nil {
			return 0, 0, err
		}
		text = to
	}
	last, err = strconv.Atoi(text)
	return first, last, err
}

// TestHistories simulates histories with known changes, through the code that
// records them. It simulates the outcome of a comparison and the blocks of a
// confirmation. docs/results/history.txt has the outcome of the long form.
// TARE_HISTORIES=100-200 is a piece of it, TARE_PIECES a file in which pieces
// add up.
func TestHistories(t *testing.T) {
	t.Parallel()
	first, last, commits, beside := 0, 4, 120, 2
	if lab.Long {
		last, commits, beside = 1000, 500, math.MaxInt
		if text := os.Getenv("TARE_HISTORIES"); text != "" {
			var err error
			if first, last, err = seeds(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	began := time.Now()
	var mu sync.Mutex
	var all scores
	next := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for seed := range next {
				s := simulate(commits, uint64(seed), seed < beside)
				mu.Lock()
				if all.add(s); all.Tare.Histories%100 == 0 {
					all.log(t) // the long form takes half an hour
				}
				mu.Unlock()
			}
		})
	}
	for seed := first; seed < last; seed++ {
		next <- seed
	}
	close(next)
	wait.Wait()
	t.Logf("%d histories of %d commits and %d benchmarks, %.0f s", all.Tare.Histories, commits, benchmarks, time.Since(began).Seconds())
	if file := os.Getenv("TARE_PIECES"); file != "" {
		var err error
		if all, err = all.keep(file); err != nil {
			t.Fatal(err)
		}
	}
	all.log(t)
	tare := all.Tare
	if tare.Steps2 < tare.Histories*benchmarks/2 {
		t.Errorf("only %d steps of 2%%", tare.Steps2)
	}
	slack := 0.0
	if tare.Histories < 100 {
		slack = 4 * math.Sqrt(0.1*0.9/float64(tare.Steps2))
	}
	if v := float64(tare.Unfounded) / float64(tare.Reported); v > 0.05+slack {
		t.Errorf("%.3f of the reported changes are false, want 0.05 at most", v)
	}
	if v := float64(tare.InTime) / float64(tare.Steps2); v < 0.90-slack {
		t.Errorf("%.3f of the steps of 2%% were located and reported in time, want 0.90", v)
	}
}
