package errorpath

import (
	"encoding/json"
	"net/netip"
	"strconv"
	"testing"
	"time"
)

var Sink any

func BenchmarkFloat(b *testing.B) {
	for b.Loop() {
		Sink, _ = strconv.ParseFloat("1.2.3", 64) // want `ParseFloat fails on this input`
	}
}

func BenchmarkHex(b *testing.B) {
	for b.Loop() {
		Sink, _ = strconv.ParseInt("ff", 10, 64) // want `ParseInt fails on this input`
	}
}

func BenchmarkAddr(b *testing.B) {
	text := "300.1.1.1"
	for i := 0; i < b.N; i++ {
		a, _ := netip.ParseAddr(text) // want `ParseAddr fails on this input`
		Sink = a
	}
}

func BenchmarkDecode(b *testing.B) {
	doc := []byte("{'a': 1}")
	for b.Loop() {
		var v map[string]int
		json.Unmarshal(doc, &v) // want `Unmarshal fails on this input`
	}
}

func BenchmarkDate(b *testing.B) {
	for b.Loop() {
		Sink, _ = time.Parse(time.DateOnly, "2024-13-01") // want `Parse fails on this input`
	}
}

// Near misses.

func BenchmarkHex16(b *testing.B) {
	for b.Loop() {
		Sink, _ = strconv.ParseInt("ff", 16, 64)
	}
}

func BenchmarkChecked(b *testing.B) {
	for b.Loop() {
		if _, err := strconv.Atoi("x"); err == nil {
			b.Fatal("no error")
		}
	}
}

func BenchmarkInvalid(b *testing.B) {
	for b.Loop() {
		Sink, _ = strconv.Atoi("x")
	}
}

func BenchmarkChanging(b *testing.B) {
	text := "x"
	for b.Loop() {
		Sink, _ = strconv.Atoi(text)
		text = "1"
	}
}

func BenchmarkContinued(b *testing.B) {
	for i := 0; i < b.N; i++ {
		n, err := strconv.Atoi("1,000") // want `Atoi fails on this input`
		if err != nil {
			continue
		}
		Sink = n
	}
}

func BenchmarkFatal(b *testing.B) {
	for i := 0; i < b.N; i++ {
		n, err := strconv.Atoi("1,000")
		if err != nil {
			b.Fatal(err)
		}
		Sink = n
	}
}
