package growingstate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/textproto"
	"strconv"
	"testing"
	"time"
)

func work() int { return 1 }

func BenchmarkAppend(b *testing.B) {
	var all []int
	for i := 0; i < b.N; i++ {
		v := work()
		all = append(all, v) // want `all grows with every iteration`
	}
}

func BenchmarkInsert(b *testing.B) {
	seen := map[string]int{}
	for i := 0; b.Loop(); i++ {
		v := work()
		seen[strconv.Itoa(i)] = v // want `seen gets a new key in every iteration`
	}
}

var history []int

func BenchmarkPackage(b *testing.B) {
	for b.Loop() {
		v := work()
		history = append(history, v, v) // want `history grows with every iteration`
	}
}

// Near misses.

func BenchmarkJustAppend(b *testing.B) {
	var all []int
	for i := 0; i < b.N; i++ {
		all = append(all, i)
	}
}

func BenchmarkEmptied(b *testing.B) {
	var all []int
	for i := 0; i < b.N; i++ {
		all = all[:0]
		all = append(all, work())
	}
}

func BenchmarkInner(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var all []int
		all = append(all, work())
		_ = all
	}
}

func BenchmarkBoundedKeys(b *testing.B) {
	seen := map[int]int{}
	for i := 0; i < b.N; i++ {
		v := work()
		seen[i%100] = v
	}
}

func BenchmarkCleared(b *testing.B) {
	seen := map[int]int{}
	for i := 0; i < b.N; i++ {
		seen[i] = work()
		clear(seen)
	}
}

func BenchmarkLatencies(b *testing.B) {
	var latencies []time.Duration
	for i := 0; i < b.N; i++ {
		start := time.Now()
		work()
		latencies = append(latencies, time.Since(start))
	}
	b.ReportMetric(float64(latencies[0]), "first-ns")
}

func BenchmarkRarely(b *testing.B) {
	var errs []int
	for i := 0; i < b.N; i++ {
		if v := work(); v > 1 {
			errs = append(errs, v)
		}
		work()
	}
}

// BenchmarkPrepared makes an input for every iteration, and then resets.
func BenchmarkPrepared(b *testing.B) {
	var inputs []int
	for i := 0; i < b.N; i++ {
		v := work()
		inputs = append(inputs, v)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		inputs[i]++
	}
}

func BenchmarkPreparedPaused(b *testing.B) {
	b.StopTimer()
	var inputs []int
	for i := 0; i < b.N; i++ {
		v := work()
		inputs = append(inputs, v)
	}
	b.StartTimer()
	for i := 0; i < b.N; i++ {
		inputs[i]++
	}
}

func BenchmarkPreparedRange(b *testing.B) {
	var inputs []int
	for i := 0; i < b.N; i++ {
		v := work()
		inputs = append(inputs, v)
	}
	b.ResetTimer()
	for _, v := range inputs {
		_ = v + work()
	}
}

// BenchmarkPreparedTimed forgets to reset.
func BenchmarkPreparedTimed(b *testing.B) {
	var inputs []int
	for i := 0; i < b.N; i++ {
		v := work()
		inputs = append(inputs, v) // want `inputs grows with every iteration`
	}
	for i := 0; i < b.N; i++ {
		inputs[i]++
	}
}

// BenchmarkDecoded fills a buffer that a decoder made from it empties.
func BenchmarkDecoded(b *testing.B) {
	var buf bytes.Buffer
	dec := json.NewDecoder(&buf)
	for b.Loop() {
		buf.WriteString("1\n")
		var v int
		dec.Decode(&v)
	}
}

type lazy struct{ values map[int]int }

func (l *lazy) put(key, value int) {
	if l.values == nil {
		l.values = make(map[int]int)
	}
	l.values[key] = value
}

func BenchmarkLazy(b *testing.B) {
	var l lazy
	for i := 0; i < b.N; i++ {
		l.put(i, work()) // want `l gets a new key in every iteration`
	}
}

func BenchmarkLazyBounded(b *testing.B) {
	var l lazy
	for i := 0; i < b.N; i++ {
		l.put(i%100, work())
	}
}

type stack struct{ values []int }

func (s *stack) push(v int) { s.values = append(s.values, v) }
func (s *stack) drop()      { s.cut(len(s.values) - 1) }
func (s *stack) cut(n int)  { s.values = s.values[:n] }

func BenchmarkPushDrop(b *testing.B) {
	var s stack
	for i := 0; i < b.N; i++ {
		s.push(i)
		s.drop()
	}
}

type cookie struct{ key []byte }

func (c *cookie) reset() { c.key = c.key[:0] }
func (c *cookie) parse(key []byte) {
	c.reset()
	c.key = append(c.key, key...)
}

func BenchmarkParseReset(b *testing.B) {
	var c cookie
	key := []byte("key")
	for i := 0; i < b.N; i++ {
		c.parse(key)
	}
}

type peak struct{ most int }

func (p *peak) add(v int) { p.most = max(p.most, v) }

func BenchmarkPeak(b *testing.B) {
	var p peak
	for i := 0; i < b.N; i++ {
		p.add(work())
	}
}

// BenchmarkReaders fills a buffer that a reader of a reader of it empties.
func BenchmarkReaders(b *testing.B) {
	var buf bytes.Buffer
	br := bufio.NewReader(&buf)
	r := textproto.NewReader(br)
	for i := 0; i < b.N; i++ {
		buf.WriteString("key: value\r\n\r\n")
		if _, err := r.ReadMIMEHeader(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPush(b *testing.B) {
	s := new(stack)
	for i := 0; i < b.N; i++ {
		s.push(i) // want `s grows with every iteration`
	}
}
