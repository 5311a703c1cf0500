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
