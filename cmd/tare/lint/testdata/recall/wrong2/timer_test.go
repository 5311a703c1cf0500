package wrong2

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// mistake: missingreset
func BenchmarkLookup(b *testing.B) {
	x := index{lists: make(map[string][]int)}
	for i := 0; i < 500000; i++ {
		x.add("word"+strconv.Itoa(i), i)
	}
	for i := 0; i < b.N; i++ {
		Found = x.find("word" + strconv.Itoa(i%500000))
	}
}

// mistake: missingreset
func BenchmarkListing(b *testing.B) {
	out, err := exec.Command("ls", "/").Output()
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < b.N; i++ {
		Count = len(words(string(out)))
	}
}

// mistake: resetplace
func BenchmarkResetEach(b *testing.B) {
	for i := 0; i < b.N; i++ {
		input := strings.Repeat(text, 10)
		b.ResetTimer()
		Count = len(words(input))
	}
}

// mistake: pausedloop
func BenchmarkPaused(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		n := i%50 + 1
		b.StartTimer()
		Count = collatz(n)
	}
}

// mistake: unbalancedtimer
func BenchmarkStopped(b *testing.B) {
	b.StopTimer()
	inputs := primes(1000)
	for i := 0; i < b.N; i++ {
		Count = collatz(inputs[i%len(inputs)])
	}
}

// mistake: unbalancedtimer
func BenchmarkContinue(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		input := strings.Repeat(text, i%3)
		if input == "" {
			continue
		}
		b.StartTimer()
		Count = len(words(input))
	}
}

// mistake: erasedmetric
func BenchmarkErased(b *testing.B) {
	list := primes(10000)
	b.ReportMetric(float64(len(list)), "primes")
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count = collatz(list[i%len(list)])
	}
}

// mistake: metricunit
func BenchmarkTotalSteps(b *testing.B) {
	steps := 0
	for i := 0; i < b.N; i++ {
		steps += collatz(i%100 + 1)
	}
	b.ReportMetric(float64(steps), "steps/op")
}

type tally struct{ hits int }

// mistake: metricunit
func BenchmarkHits(b *testing.B) {
	var t tally
	for i := 0; b.Loop(); i++ {
		if leap(i) {
			t.hits++
		}
	}
	b.ReportMetric(float64(t.hits), "hits/op")
}
