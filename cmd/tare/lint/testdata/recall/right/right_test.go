package right

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The loop in a function that is handed b.N once.
func BenchmarkLoopInHelper(b *testing.B) {
	repeat(b.N, func() { Sink = len(tokens(Text)) })
}

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// Two iterations a round, both done.
func BenchmarkUnrolled(b *testing.B) {
	for i := 0; i < b.N; i += 2 {
		Sink = find(nil, i)
		Sink = find(nil, i+1)
	}
}

// Batches: every iteration counts an item.
func BenchmarkBatches(b *testing.B) {
	const batch = 64
	items := fill(batch)
	for i := 0; i < b.N; i += batch {
		for _, x := range items {
			Sink = find(items, x)
		}
	}
}

func BenchmarkChunks(b *testing.B) {
	data := make([]string, 100)
	for i := 0; i < b.N; i += len(data) {
		b.StopTimer()
		clear(data)
		b.StartTimer()
		for j := range data {
			data[j] = strconv.Itoa(j)
		}
	}
}

// The remainder is done as well.
func BenchmarkRemainder(b *testing.B) {
	rounds, rest := b.N/16, b.N%16
	list := fill(16)
	for i := 0; i < rounds; i++ {
		for _, x := range list {
			Sink = find(list, x)
		}
	}
	for i := 0; i < rest; i++ {
		Sink = find(list, i)
	}
}

func BenchmarkSubOnly(b *testing.B) {
	for _, n := range []int{8, 64} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) { benchFill(b, n) })
	}
}

func benchFill(b *testing.B, n int) {
	for b.Loop() {
		Sink = len(fill(n))
	}
}

// One loop in each of two branches.
func BenchmarkEither(b *testing.B) {
	if testing.Short() {
		for b.Loop() {
			Sink = len(fill(8))
		}
		return
	}
	for b.Loop() {
		Sink = len(fill(80))
	}
}

func BenchmarkKept(b *testing.B) {
	var sum uint64
	for i := 0; i < b.N; i++ {
		sum += mix(uint64(i))
	}
	Seed = sum
}

func BenchmarkKeptByLoop(b *testing.B) {
	x := Seed
	for b.Loop() {
		mix(x)
		x++
	}
}

func BenchmarkClosureKept(b *testing.B) {
	for b.Loop() {
		func() {
			Seed = mix(Seed)
		}()
	}
}

// Inputs that are valid.
func BenchmarkParseValid(b *testing.B) {
	doc := []byte(`{"a": [1, 2, 3]}`)
	var out map[string][]int
	for b.Loop() {
		n, _ := strconv.Atoi("12345")
		_ = json.Unmarshal(doc, &out)
		Sink = n
	}
}

// The error path, and the name says so.
func BenchmarkParseInvalid(b *testing.B) {
	for b.Loop() {
		_, err := strconv.ParseFloat("1.2.3", 64)
		if err == nil {
			b.Fatal("no error")
		}
	}
}

var errWant = errors.New("want")

// The error is checked for: it is what is measured.
func BenchmarkAtoiChecked(b *testing.B) {
	for b.Loop() {
		if _, err := strconv.Atoi("x1"); err == nil {
			b.Fatal(errWant)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	keys := make([]int, 1024)
	for i := range keys {
		keys[i] = rand.Intn(1 << 20)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Sink = find(keys, keys[i%len(keys)])
	}
}

// Its own latencies.
func BenchmarkTail(b *testing.B) {
	var worst time.Duration
	for b.Loop() {
		start := time.Now()
		Sink = len(fill(100))
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(worst.Nanoseconds()), "max-ns")
}

func BenchmarkLogOnFailure(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if err := store("k", i); err != nil {
			b.Logf("iteration %d: %v", i, err)
		}
	}
}

// Printing is what is measured.
func BenchmarkFprintf(b *testing.B) {
	for i := 0; i < b.N; i++ {
		fmt.Fprintf(io.Discard, "%d %s\n", i, "text")
	}
}

func BenchmarkPrepared(b *testing.B) {
	list := fill(2_000_000)
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		Sink = find(list, n%1000)
	}
}

func BenchmarkPreparedLoop(b *testing.B) {
	ix := newIndex()
	for i := 0; i < 200000; i++ {
		ix.add("document " + strconv.Itoa(i))
	}
	for i := 0; b.Loop(); i++ {
		Sink = len(ix.find(strconv.Itoa(i % 200000)))
	}
}

func BenchmarkPausedLong(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		list := fill(100_000)
		b.StartTimer()
		sort.Ints(list)
	}
}

func BenchmarkStoppedThenReset(b *testing.B) {
	b.StopTimer()
	list := fill(5000)
	b.StartTimer()
	for i := 0; i < b.N; i++ {
		Sink = find(list, i%5000)
	}
	b.StopTimer()
	clear(list)
}

func BenchmarkMetricPerOp(b *testing.B) {
	items := 0
	for i := 0; i < b.N; i++ {
		items += len(tokens(Text))
	}
	b.ReportMetric(float64(items)/float64(b.N), "items/op")
	b.ReportMetric(float64(items)/b.Elapsed().Seconds(), "items/s")
	b.ReportMetric(float64(items), "items")
}

// A constant of every operation.
func BenchmarkMetricConstant(b *testing.B) {
	list := fill(64)
	for b.Loop() {
		Sink = find(list, 3)
	}
	size := 8 * len(list)
	b.ReportMetric(float64(size), "input-bytes/op")
}

// What the last iteration needed.
func BenchmarkMetricLast(b *testing.B) {
	probes := 0
	for b.Loop() {
		probes = 0
		for range fill(64) {
			probes++
		}
	}
	b.ReportMetric(float64(probes), "probes/op")
}

func BenchmarkMetricAveraged(b *testing.B) {
	total := 0.0
	for i := 0; i < b.N; i++ {
		total += float64(len(tokens(Text)))
	}
	mean := total / float64(b.N)
	b.ReportMetric(mean, "tokens/op")
}

func BenchmarkBytesTotal(b *testing.B) {
	data, total := make([]byte, 512), 0
	for i := 0; i < b.N; i++ {
		total += int(checksum(data)) & 1
	}
	b.SetBytes(int64(len(data)))
	Sink = total
}

func BenchmarkParallelOwn(b *testing.B) {
	var hits atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		own := 0
		for pb.Next() {
			own += find(nil, own)
		}
		hits.Add(int64(own))
	})
}

func BenchmarkParallelManual(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for {
			if !pb.Next() {
				return
			}
			store("k", 1)
		}
	})
}

// One goroutine per worker, each with its share.
func BenchmarkWorkers(b *testing.B) {
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := worker; i < b.N; i += 4 {
				if err := store("k", i); err != nil {
					b.Error(err)
					return
				}
			}
		}()
	}
	wg.Wait()
}

// Started and waited for in the same iteration.
func BenchmarkSpawn(b *testing.B) {
	for i := 0; i < b.N; i++ {
		done := make(chan int)
		go func() { done <- find(nil, i) }()
		Sink = <-done
	}
}

func BenchmarkFanOut(b *testing.B) {
	for b.Loop() {
		var wg sync.WaitGroup
		for k := range 8 {
			wg.Go(func() { store("k", k) })
		}
		wg.Wait()
	}
}

// As many at once as the semaphore lets through.
func BenchmarkLimited(b *testing.B) {
	slots := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for i := 0; i < b.N; i++ {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			store("k", i)
		}()
	}
	wg.Wait()
}

func BenchmarkDeferInClosure(b *testing.B) {
	var mu sync.Mutex
	for i := 0; i < b.N; i++ {
		func() {
			mu.Lock()
			defer mu.Unlock()
			Sink = i
		}()
	}
}

func BenchmarkDeferAfter(b *testing.B) {
	f, err := os.Create(b.TempDir() + "/x")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for b.Loop() {
		f.WriteAt([]byte("x"), 0)
	}
}

func BenchmarkReused(b *testing.B) {
	var list []int
	for i := 0; i < b.N; i++ {
		list = list[:0]
		for range 100 {
			list = append(list, find(nil, i))
		}
	}
}

func BenchmarkEncoderReset(b *testing.B) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for b.Loop() {
		out.Reset()
		enc.Encode(point{1, 2})
	}
}

func BenchmarkEncoderDiscard(b *testing.B) {
	enc := json.NewEncoder(io.Discard)
	zw := gzip.NewWriter(io.Discard)
	for b.Loop() {
		enc.Encode(point{1, 2})
		zw.Write(Bytes)
	}
}

func BenchmarkCompressorReset(b *testing.B) {
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	for i := 0; i < b.N; i++ {
		packed.Reset()
		zw.Reset(&packed)
		zw.Write(Bytes)
		zw.Close()
	}
}

func BenchmarkEncodeFresh(b *testing.B) {
	values := fill(32)
	for b.Loop() {
		var buf bytes.Buffer
		encode(&buf, values)
		Sink = buf.Len()
	}
}

func BenchmarkBufferTruncated(b *testing.B) {
	buf := bytes.NewBuffer(nil)
	for i := 0; i < b.N; i++ {
		buf.WriteString("some text")
		if buf.Len() > 1<<16 {
			buf.Reset()
		}
	}
}

// Written and read again: it stays small.
func BenchmarkBufferPipe(b *testing.B) {
	var buf bytes.Buffer
	p := make([]byte, 64)
	for b.Loop() {
		buf.Write(p)
		buf.Read(p)
	}
}

// Growth is what is measured.
func BenchmarkAppendOnly(b *testing.B) {
	var list []int
	for i := 0; i < b.N; i++ {
		list = append(list, i)
	}
}

func BenchmarkCounter(b *testing.B) {
	counts := make(map[string]int)
	words := tokens("a b c d")
	for i := 0; i < b.N; i++ {
		counts[words[i%len(words)]]++
		counts[strconv.Itoa(i%10)] = find(nil, i)
	}
}

func BenchmarkSortCopy(b *testing.B) {
	orig := fill(1000)
	work := slices.Clone(orig)
	for b.Loop() {
		copy(work, orig)
		slices.Sort(work)
	}
}

func BenchmarkScanFresh(b *testing.B) {
	text := strings.Repeat("a line\n", 100)
	for i := 0; i < b.N; i++ {
		sc := bufio.NewScanner(strings.NewReader(text))
		for sc.Scan() {
			Sink += len(sc.Bytes())
		}
	}
}

func BenchmarkReaderRewound(b *testing.B) {
	r := bytes.NewReader(make([]byte, 4096))
	for b.Loop() {
		r.Seek(0, io.SeekStart)
		n, _ := io.Copy(io.Discard, r)
		Sink = int(n)
	}
}

// A source without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func BenchmarkEndless(b *testing.B) {
	r := bufio.NewReader(zeros{})
	for i := 0; i < b.N; i++ {
		c, _ := r.ReadByte()
		Sink += int(c)
	}
}

func BenchmarkInsertDelete(b *testing.B) {
	m := map[int]int{}
	for i := 0; i < b.N; i++ {
		m[i] = i
		delete(m, i)
	}
}

func BenchmarkQueue(b *testing.B) {
	var queue []int
	for i := 0; i < b.N; i++ {
		queue = append(queue, find(nil, i))
		if len(queue) > 100 {
			queue = queue[1:]
		}
	}
}
