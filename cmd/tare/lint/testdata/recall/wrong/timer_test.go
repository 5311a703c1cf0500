package wrong

import (
	"fmt"
	"log"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mistake: loopnoise
func BenchmarkRandomKey(b *testing.B) {
	table := map[int]int{1: 1, 2: 2}
	rng := rand.New(rand.NewSource(7))
	for i := 0; i < b.N; i++ {
		Sink += table[rng.Intn(4)]
	}
}

// mistake: loopnoise
func BenchmarkStamped(b *testing.B) {
	for b.Loop() {
		stamp := time.Now().UnixNano()
		Text = strconv.FormatInt(stamp, 36)
	}
}

// mistake: loopnoise
func BenchmarkPrinted(b *testing.B) {
	for i := 0; i < b.N; i++ {
		words := tokens(Text)
		fmt.Fprintln(os.Stderr, len(words))
	}
}

// mistake: loopnoise
func BenchmarkLoggedOnly(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.Logf("checksum %d", checksum(Bytes))
	}
}

// mistake: loopnoise
func BenchmarkLogged(b *testing.B) {
	for range b.N {
		v := find(fill(8), 3)
		log.Printf("found %d", v)
	}
}

// mistake: loopnoise
func BenchmarkPolite(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink += len(tokens(Text))
		time.Sleep(time.Microsecond)
	}
}

// mistake: loopnoise
func BenchmarkCollected(b *testing.B) {
	for b.Loop() {
		Bytes = make([]byte, 4096)
		runtime.GC()
	}
}

// mistake: missingreset
func BenchmarkSearchMillion(b *testing.B) {
	keys := make([]int, 1<<20)
	for i := range keys {
		keys[i] = i * 3
	}
	for i := 0; i < b.N; i++ {
		Sink = find(keys, i*3%len(keys))
	}
}

// mistake: missingreset
func BenchmarkIndexLookup(b *testing.B) {
	ix := newIndex()
	for i := 0; i < 200000; i++ {
		ix.add("document " + strconv.Itoa(i))
	}
	for n := 0; n < b.N; n++ {
		Sink = len(ix.find("document"))
	}
}

// mistake: missingreset
func BenchmarkHelperSetup(b *testing.B) {
	list := fill(2_000_000)
	for n := 0; n < b.N; n++ {
		Sink = find(list, n%1000)
	}
}

// mistake: resetplace
func BenchmarkResetEach(b *testing.B) {
	for i := 0; i < b.N; i++ {
		copyOf := strings.Clone(Text)
		b.ResetTimer()
		Sink = len(tokens(copyOf))
	}
}

// mistake: resetplace
func BenchmarkResetLast(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = len(tokens(Text))
	}
	b.ResetTimer()
}

// mistake: pausedloop
func BenchmarkPausedTiny(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		x := uint64(i) * 3
		b.StartTimer()
		Seed ^= mix(x)
	}
}

// mistake: unbalancedtimer
func BenchmarkNeverStarted(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Sink = len(tokens(Text))
		b.StopTimer()
		Text = strings.ToUpper(Text)
	}
}

// mistake: unbalancedtimer
func BenchmarkContinueStopped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		data := fill(i%9 + 1)
		if len(data) < 3 {
			continue
		}
		b.StartTimer()
		Sink = find(data, 2)
	}
}

// mistake: unbalancedtimer
func BenchmarkStoppedBefore(b *testing.B) {
	b.StopTimer()
	data := fill(5000)
	for i := 0; i < b.N; i++ {
		Sink = find(data, i%5000)
	}
}

// mistake: erasedmetric
func BenchmarkMetricFirst(b *testing.B) {
	b.ReportMetric(float64(len(Text)), "chars")
	for b.Loop() {
		Sink = len(tokens(Text))
	}
}

// mistake: erasedmetric
func BenchmarkCountEarly(b *testing.B) {
	per := len(Bytes) / max(1, b.N)
	for b.Loop() {
		Sink = int(checksum(Bytes)) + per
	}
}

// mistake: metricunit
func BenchmarkItemsTotal(b *testing.B) {
	items := 0
	for i := 0; i < b.N; i++ {
		items += len(tokens(Text))
	}
	b.ReportMetric(float64(items), "items/op")
}

// mistake: metricunit
func BenchmarkMissesTotal(b *testing.B) {
	var misses float64
	for i := 0; b.Loop(); i++ {
		if find(nil, i) == 0 {
			misses++
		}
	}
	b.ReportMetric(misses, "misses/op")
}

// mistake: setbytes
func BenchmarkBytesOfAll(b *testing.B) {
	block := make([]byte, 512)
	b.SetBytes(int64(b.N) * int64(len(block)))
	for i := 0; i < b.N; i++ {
		Sink = int(checksum(block))
	}
}

// mistake: setbytes
func BenchmarkBytesOfOther(b *testing.B) {
	key, payload := make([]byte, 16), make([]byte, 1<<16)
	b.SetBytes(int64(len(key)))
	for b.Loop() {
		Sink = int(checksum(payload))
	}
}
