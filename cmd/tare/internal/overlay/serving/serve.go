//go:build unix

// Runs of a benchmark: as in plain go test, or slices on command.

package testing

import (
	"runtime"
	"strconv"
	"strings"
	"time"
)

type tareMark struct {
	at             int64 // clock when the command came
	n, raw, pauses int64
	delay, cpu     int64     // in timed intervals
	from           tareDelay // delay when the command came
	mallocs, bytes uint64
	gcs            uint64
	collecting     bool
	work           tareWork // of a long run
	ready          *tareReady
}

// tareOrder is a slice to take: warm untimed iterations, then n timed ones. If
// n is 0, the benchmark ends.
type tareOrder struct {
	n, warm int64
	reading uint32
}

// launch runs the benchmark function until the benchtime is reached, or
// serves slices of it.
func (b *B) launch() {
	returned := false
	defer func() {
		if b.tare.panicked {
			return // testing must not go on, see runN
		}
		// Fail and Skip end the goroutine.
		if returned || b.failed || b.skipped {
			b.tareOutcome()
		}
		b.signal <- true
	}()
	if tareParent != nil {
		b.tareServe()
		returned = true
		return
	}
	began := time.Now()
	wall := tareWallFactor * b.benchTime.d
	var allocs, bytes, counted float64 // of the longest run that was counted
	count := func() {
		if b.tare.counted && b.N > 0 {
			allocs, bytes, counted = float64(b.netAllocs), float64(b.netBytes), float64(b.N)
		}
	}
	count()
	if b.loop.n == 0 {
		if b.benchTime.n > 0 {
			if b.benchTime.n > 1 {
				b.tare.mayRead(b.benchTime.n)
				b.runN(b.benchTime.n)
				count()
			}
		} else {
			for n := int64(1); !b.failed && b.duration < b.benchTime.d && n < 1e9; {
				spent := time.Since(began)
				if spent > wall {
					break
				}
				last := n
				n = int64(predictN(b.benchTime.d.Nanoseconds(), int64(b.N), b.duration.Nanoseconds(), last))
				if perOp := spent / time.Duration(last); perOp > 0 && last > 1 {
					n = min(n, int64((wall-spent)/perOp)+last)
				}
				b.tare.mayRead(int(n))
				b.runN(int(n))
				count()
			}
		}
	}
	if !b.tare.counted && counted > 0 {
		b.netAllocs = uint64(allocs / counted * float64(b.N))
		b.netBytes = uint64(bytes / counted * float64(b.N))
	}
	b.result = BenchmarkResult{b.N, b.tareCorrected(), b.bytes, b.netAllocs, b.netBytes, b.extra}
}

// run1 runs the first iteration. It notifies the parent if no iterations
// follow.
func (b *B) run1() bool {
	b.tare.most = tareReadsPerRun
	b.tare.delay.follow()
	if tareParent != nil && tareParent.counts {
		tareFirstStock.Do(tareStock)
	}
	more := b.tareStockrun1()
	if b.tare.panicked {
		select {} // until the panic has ended the process
	}
	if !more {
		b.tareOutcome()
	}
	return more
}

// runN notes a panic of a worker. A panicking goroutine first runs its deferred
// functions, and testing's lets the main goroutine continue. The main goroutine
// may then end the process with status 0 before the panic is printed.
func (b *B) runN(n int) {
	if tareParent != nil {
		defer func() {
			if value := recover(); value != nil {
				b.tare.panicked = true
				panic(value)
			}
		}()
	}
	b.tareStockrunN(n)
}

// stopOrScaleBLoop is called when the iterations of a b.Loop are used up.
func (b *B) stopOrScaleBLoop() bool {
	if b.tare.tail.on && b.tareNextOfTail() {
		if tareLoopCommits {
			b.loop.i++
		}
		return true
	}
	more := false
	switch {
	case tareParent == nil:
		more = b.tareScaleInWall()
	case b.hasSub.Load():
		// Only its sub-benchmarks are measured, by testing too.
	default:
		more = b.tareNextOfLoop()
	}
	if tareLoopCommits {
		// The caller of this version leaves both to the stock method.
		switch {
		case !more:
			b.StopTimer()
			b.N = int(b.loop.n)
			b.loop.done = true
		case tareParent != nil:
			b.loop.i++
		}
	}
	return more
}

// tareNextOfLoop reports the slice of a b.Loop that has ended, and begins the
// next one.
func (b *B) tareNextOfLoop() bool {
	b.StopTimer()
	t := &b.tare
	if t.order.warm > 0 {
		// The iterations so far were the warm-up: the slice itself comes now.
		t.order.warm = 0
		b.tareMark()
		return b.tareContinue(t.order.n)
	}
	if !t.served {
		t.served = true
		b.tareAnnounce("b.Loop")
	} else {
		b.tareTaken()
	}
	t.order = b.tareNext()
	if t.order.n == 0 {
		return false
	}
	b.tareBegin()
	if t.order.warm > 0 {
		return b.tareContinue(t.order.warm)
	}
	return b.tareContinue(t.order.n)
}

// tareContinue lets a b.Loop run n more iterations and starts the slice there.
// The totals continue, for the benchmark's own b.Elapsed. The slice is the
// difference.
func (b *B) tareContinue(n int64) bool {
	t := &b.tare
	t.reads = 0
	t.counted = true
	t.weight = tareWeight{}
	t.delay.reset()
	t.mark.n, t.mark.raw, t.mark.pauses, t.mark.delay, t.mark.cpu = int64(b.loop.n), t.raw, t.pauses, t.delay.sum, t.delay.cpu
	t.mark.mallocs, t.mark.bytes = b.netAllocs, b.netBytes
	b.loop.n += uint64(n)
	b.StartTimer() // also lifts the poison
	if t.order.reading&tareReadTail != 0 && t.order.warm == 0 {
		b.tareBeginTail(uint64(n))
	}
	return true
}

// tareScaleInWall scales as the stock method does, within the wall time that a
// plain run may take.
func (b *B) tareScaleInWall() bool {
	spent := tareNanotime() - b.tare.began
	wall := tareWallFactor * b.benchTime.d.Nanoseconds()
	last := b.loop.n
	if spent > wall || !b.tareStockstopOrScaleBLoop() {
		return false
	}
	if perOp := spent / int64(last); perOp > 0 {
		b.loop.n = min(b.loop.n, last+1+uint64((wall-spent)/perOp))
	}
	return true
}

func (b *B) tareServe() {
	if b.loop.n == 0 {
		t := &b.tare
		t.served = true
		b.tareAnnounce("b.N")
		for {
			t.order = b.tareNext()
			if t.order.n == 0 {
				break
			}
			b.tareBegin()
			if t.order.warm > 0 {
				b.runN(int(t.order.warm))
				if b.failed {
					return
				}
				t.order.warm = 0
				b.tareMark()
			}
			b.runN(int(t.order.n))
			if b.failed {
				return
			}
			b.tareTaken()
		}
	}
	b.result = BenchmarkResult{b.N, b.tareCorrected(), b.bytes, b.netAllocs, b.netBytes, b.extra}
}

// tareNext waits for the next slice to take. During a batch it reads the board,
// otherwise the line.
func (b *B) tareNext() tareOrder {
	for {
		if tareBatch.on {
			if o, ok := tareBatch.next(); ok {
				return o
			}
		}
		if o, ok := b.tareCommand(); ok {
			return o
		}
	}
}

func (b *B) tareBegin() {
	t := &b.tare
	t.most = 0
	switch {
	case t.order.reading&tareReadEvery != 0:
		t.most = tareReadsAll
	case t.order.reading&tareReadFew != 0:
		t.most = tareReadsPerRun
	}
	var work tareWork
	if t.delay.long = t.order.reading&tareReadLong != 0; t.delay.long {
		work = tareWorkSoFar()
	}
	var ready *tareReady
	if t.order.reading&tareReadReady != 0 {
		ready = tareSampleReady()
	}
	t.delay.follow()
	t.mark = tareMark{at: tareNanotime(), work: work, ready: ready}
	t.mark.from = tareThreadDelay() // within the span, as at its end
	b.tareMark()
}

// tareMark marks the values that the collector is charged by, before the timed
// iterations of a slice, and again after a setup that the benchmark excludes
// with b.ResetTimer. The collections of the setup are not part of the operation.
func (b *B) tareMark() {
	m := &b.tare.mark
	m.collecting, m.gcs = tareCollecting(), tareCycles()
}

func (b *B) tareTaken() {
	if tareBatch.on {
		tareBatch.taken(b)
		return
	}
	b.tareFill()
	var r tareResult
	b.tareMeasure(&r)
	line := append(tareParent.buf[:0], "done"...)
	line = tareFields(line, &r)
	tareParent.buf = tareMetrics(line, b.tareReported())
	tareParent.send(true)
}

// tareAnnounce notifies the parent that a benchmark can be measured. Its slice
// is the first iteration. Names come first, so the parent can report a
// benchmark without reading the rest.
func (b *B) tareAnnounce(loop string) {
	b.tareFill()
	var r tareResult
	b.tareMeasure(&r)
	runtime.GC()
	tareParent.settle()
	if tareParent.counts {
		runtime.GC() // the second one empties the pools of package sync
		tareStock()
		tareKeepGarbage()
	}
	line := append(tareParent.buf[:0], "leaf name="...)
	line = strconv.AppendQuote(line, b.name)
	line = append(line, " loop="...)
	line = append(line, loop...)
	if tareParent.pinned {
		line = append(line, " cpus="...)
		line = append(line, tareParent.cpus...)
	}
	line = tareFields(line, &r)
	tareParent.buf = tareMetrics(line, b.extra)
	tareParent.send(false)
}

func (b *B) tareMeasure(r *tareResult) {
	t := &b.tare
	m := &t.mark
	if m.ready != nil {
		r.CPUs = m.ready.end()
	}
	until := tareThreadDelay()
	now := tareNanotime()
	n := int64(b.N)
	if b.loop.n > 0 {
		n = int64(b.loop.n)
	}
	r.N, r.Raw, r.Pauses = n-m.n, t.raw-m.raw, t.pauses-m.pauses
	if r.Pauses > 0 {
		lo, hi := t.overhead().interval()
		r.OverheadLo, r.OverheadHi = lo*float64(r.Pauses), hi*float64(r.Pauses)
	}
	r.Flags = tareDone
	if t.delay.known {
		r.Flags |= tareFollowed
		r.Delay = t.delay.sum - m.delay
	}
	if t.counted {
		r.Flags |= tareCounted
		r.Mallocs, r.Bytes = b.netAllocs-m.mallocs, b.netBytes-m.bytes
	}
	r.SetBytes = b.bytes
	r.GCs = uint32(tareCycles() - m.gcs)
	if r.GCs > 0 || m.collecting || tareCollecting() {
		r.Flags |= tareCollected
	}
	if m.at == 0 {
		return // the first iteration: nothing was marked
	}
	delay, _ := m.from.until(until)
	r.Span = now - m.at - delay
	if t.delay.long && m.ready == nil {
		r.MaxDelay, r.CPUs = m.work.until(tareWorkSoFar())
		if r.Raw > r.Pauses*tareLeastFollowed {
			r.CPUTime = t.delay.cpu - m.cpu
		}
	}
}

func tareFields(line []byte, r *tareResult) []byte {
	for _, f := range [...]struct {
		name  string
		value int64
	}{
		{"n", r.N}, {"raw", r.Raw}, {"pauses", r.Pauses}, {"delay", r.Delay}, {"flags", int64(r.Flags)},
		{"mallocs", int64(r.Mallocs)}, {"bytes", int64(r.Bytes)}, {"setbytes", r.SetBytes},
		{"gcs", int64(r.GCs)}, {"span", r.Span}, {"cputime", r.CPUTime},
	} {
		if f.value != 0 {
			line = append(line, ' ')
			line = append(line, f.name...)
			line = append(line, '=')
			line = strconv.AppendInt(line, f.value, 10)
		}
	}
	for i, v := range [...]float64{r.OverheadLo, r.OverheadHi, r.MaxDelay, r.CPUs} {
		line = append(line, [...]string{" lo=", " hi=", " maxdelay=", " busy="}[i]...)
		line = strconv.AppendFloat(line, v, 'g', 8, 64)
	}
	return line
}

func tareMetrics(line []byte, extra map[string]float64) []byte {
	for unit, v := range extra {
		line = append(line, " metric="...)
		line = strconv.AppendQuote(line, unit)
		line = append(line, ' ')
		line = strconv.AppendFloat(line, v, 'g', -1, 64)
	}
	return line
}

func (b *B) tareOutcome() {
	if tareParent == nil || b.tare.ended {
		return
	}
	verb := ""
	switch {
	case b.failed:
		verb = "fail"
	case b.skipped:
		verb = "skip"
	case b.tare.served:
		verb = "over"
	default:
		return // a benchmark with sub-benchmarks, or one that goes on
	}
	b.tare.ended = true
	line := append(tareParent.buf[:0], verb...)
	line = append(line, " name="...)
	line = strconv.AppendQuote(line, b.name)
	if verb != "over" {
		// Package testing prints the log of a skipped benchmark only with -v.
		words := b.output
		if len(words) > 4096 {
			words = words[:4096]
		}
		line = append(line, " words="...)
		line = strconv.AppendQuote(line, strings.TrimSpace(string(words)))
		tareParent.buf = line
	} else {
		tareParent.buf = tareMetrics(line, b.extra)
	}
	tareParent.send(false)
}
