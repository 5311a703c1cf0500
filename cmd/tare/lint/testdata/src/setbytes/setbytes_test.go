package setbytes

import (
	"hash/crc32"
	"testing"
)

func BenchmarkOther(b *testing.B) {
	header := make([]byte, 16)
	data := make([]byte, 4096)
	b.SetBytes(int64(len(header))) // want `SetBytes counts header, which the timed loop does not touch; give the length of data`
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}

func BenchmarkAll(b *testing.B) {
	data := make([]byte, 4096)
	b.SetBytes(int64(len(data) * b.N)) // want `SetBytes is given the bytes of all iterations`
	for i := 0; i < b.N; i++ {
		crc32.ChecksumIEEE(data)
	}
}

// Near misses.

func BenchmarkRight(b *testing.B) {
	data := make([]byte, 4096)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}

func BenchmarkMade(b *testing.B) {
	text := "some text"
	data := []byte(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}

func BenchmarkConstant(b *testing.B) {
	data := make([]byte, 4096)
	b.SetBytes(4096)
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}

func BenchmarkMean(b *testing.B) {
	total := 0
	data := make([]byte, 4096)
	for i := 0; i < b.N; i++ {
		crc32.ChecksumIEEE(data)
		total += len(data)
	}
	b.SetBytes(int64(total / b.N))
}

func BenchmarkNone(b *testing.B) {
	data := make([]byte, 4096)
	for b.Loop() {
		crc32.ChecksumIEEE(data)
	}
}
