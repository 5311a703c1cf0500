package right2

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	Level  uint32
	Count  int
	Number float64
	Found  []int
	Leap   bool
)

func BenchmarkLuma(b *testing.B) {
	p := pixel{12, 34, 56}
	var sum uint32
	for i := 0; i < b.N; i++ {
		sum += luma(p.r, p.g, uint8(i))
	}
	Level = sum
}

func BenchmarkGrayLoop(b *testing.B) {
	p := pixel{1, 2, 3}
	for b.Loop() {
		p.gray() // kept alive by b.Loop
	}
}

func BenchmarkWordsIgnored(b *testing.B) {
	for i := 0; i < b.N; i++ {
		words(text) // allocates: it is not removed
	}
}

func BenchmarkLeapYears(b *testing.B) {
	n := 0
	for i := 0; i < b.N; i++ {
		if leap(i % 4000) {
			n++
		}
	}
	Count = n
}

func BenchmarkParseInvalid(b *testing.B) {
	for b.Loop() {
		Number, _ = strconv.ParseFloat("1 234.5", 64)
	}
}

func BenchmarkParseFloat(b *testing.B) {
	inputs := []string{"1234.5", "-0.25", "1e300"}
	for i := 0; i < b.N; i++ {
		Number, _ = strconv.ParseFloat(inputs[i%len(inputs)], 64)
	}
}

func BenchmarkFindAll(b *testing.B) {
	places := make(map[string]int)
	keys := make([]string, 20000)
	for i := range keys {
		keys[i] = "word" + strconv.Itoa(i)
		places[keys[i]] = i
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count = places[keys[i%len(keys)]]
	}
}

func BenchmarkUpper(b *testing.B) {
	in := []byte(strings.Repeat(text, 100))
	out := make([]byte, 0, len(in))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		out = append(out[:0], bytes.ToUpper(in)...)
	}
}

func BenchmarkBatch(b *testing.B) {
	for done := 0; done < b.N; done += 100 {
		for i := range min(100, b.N-done) {
			Count = collatz(i + 1)
		}
	}
}

func BenchmarkUnrolled(b *testing.B) {
	for i := 0; i < b.N; i += 2 {
		Count = collatz(27)
		Found = append(Found[:0], collatz(97))
	}
}

func BenchmarkPushPop(b *testing.B) {
	var s stack
	for i := 0; i < b.N; i++ {
		s.push(i)
		Count, _ = s.pop()
	}
}

func BenchmarkTwoParts(b *testing.B) {
	b.Run("push", func(b *testing.B) {
		s := stack{items: make([]int, 0, 1000)}
		for i := 0; i < b.N; i++ {
			s.items = s.items[:0]
			s.push(i)
		}
	})
	b.Run("find", func(b *testing.B) {
		x := index{lists: map[string][]int{"fox": {1}}}
		for i := 0; i < b.N; i++ {
			Found = x.find("fox")
		}
	})
}

func BenchmarkRandom(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		Count = rng.IntN(256)
	}
}

func BenchmarkLatency(b *testing.B) {
	var worst time.Duration
	for i := 0; i < b.N; i++ {
		start := time.Now()
		Found = primes(100000)
		worst = max(worst, time.Since(start))
	}
	b.ReportMetric(float64(worst), "worst-ns")
}

func BenchmarkCheck(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if n := len(words(text)); n != 10 {
			b.Fatalf("round %d: %d words", i, n)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	values := primes(100000)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		for _, v := range values {
			if v > i%1000 {
				Count = v
				break
			}
		}
	}
}

func BenchmarkPausedShuffle(b *testing.B) {
	values := rand.Perm(1 << 20)
	scratch := make([]int, len(values))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		copy(scratch, values)
		b.StartTimer()
		slices.Sort(scratch)
	}
}

func BenchmarkSortCopy(b *testing.B) {
	values := rand.Perm(1000)
	scratch := make([]int, len(values))
	for b.Loop() {
		copy(scratch, values)
		slices.Sort(scratch)
	}
}

func BenchmarkHits(b *testing.B) {
	hits := 0
	for i := 0; i < b.N; i++ {
		if leap(i) {
			hits++
		}
	}
	b.ReportMetric(float64(hits)/float64(b.N), "hits/op")
	b.ReportMetric(float64(hits), "hits")
}

func BenchmarkParallel(b *testing.B) {
	var total atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		local := 0
		for pb.Next() {
			local += len(words(text))
		}
		total.Add(int64(local))
	})
	if total.Load() != int64(10*b.N) {
		b.Fatal(total.Load())
	}
}

func BenchmarkWorkers(b *testing.B) {
	var wg sync.WaitGroup
	for i := 0; i < b.N; i++ {
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				words(text)
			}()
		}
		wg.Wait()
	}
}

func BenchmarkServed(b *testing.B) {
	in, out := make(chan int), make(chan int)
	go func() {
		for v := range in {
			out <- v + 1
		}
	}()
	for i := 0; i < b.N; i++ {
		in <- i
		Count = <-out
	}
	close(in)
}

func BenchmarkLocked(b *testing.B) {
	var a account
	for i := 0; i < b.N; i++ {
		func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.balance += i
		}()
	}
}

func BenchmarkEncode(b *testing.B) {
	r := record{"chair", 99.5, []string{"wood", "four legs"}}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for b.Loop() {
		out.Reset()
		if err := enc.Encode(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompress(b *testing.B) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for i := 0; i < b.N; i++ {
		out.Reset()
		z.Reset(&out)
		z.Write([]byte(text))
		z.Close()
	}
	Count = out.Len()
}

func BenchmarkCollect(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var list []int
		for j := range 100 {
			list = append(list, j*i)
		}
		Found = list
	}
}

func BenchmarkMemo(b *testing.B) {
	memo := make(map[int]int)
	for i := 0; i < b.N; i++ {
		k := i % 64
		if _, ok := memo[k]; !ok {
			memo[k] = collatz(k + 1)
		}
	}
}

func BenchmarkScanLines(b *testing.B) {
	all := strings.Repeat(text+"\n", 1000)
	b.SetBytes(int64(len(all)))
	for i := 0; i < b.N; i++ {
		in := bufio.NewScanner(strings.NewReader(all))
		for in.Scan() {
			Count += len(in.Bytes())
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	source := strings.NewReader("")
	for i := 0; i < b.N; i++ {
		source.Reset("a,b,c\nd,e,f\n")
		rows, err := csv.NewReader(source).ReadAll()
		if err != nil {
			b.Fatal(err)
		}
		Count = len(rows)
	}
}

func BenchmarkSizes(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				Count = triangle(n)
			}
		})
	}
}
