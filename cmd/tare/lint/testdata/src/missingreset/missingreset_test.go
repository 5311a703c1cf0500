package missingreset

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"sort"
	"testing"
	"time"
)

func BenchmarkFill(b *testing.B) {
	values := make([]int, 200000)
	for i := 0; i < 200000; i++ { // want `this setup is measured with the work`
		values[i] = i
	}
	for i := 0; i < b.N; i++ {
		sort.SearchInts(values, i)
	}
}

func BenchmarkRange(b *testing.B) {
	var values []int
	for i := range 200000 { // want `this setup is measured with the work`
		values = append(values, i)
	}
	for range b.N {
		sort.SearchInts(values, 5)
	}
}

func BenchmarkLarge(b *testing.B) {
	data := bytes.Repeat([]byte("x"), 1<<25) // want `this setup is measured with the work`
	for range b.N {
		bytes.IndexByte(data, 'y')
	}
}

func BenchmarkMake(b *testing.B) {
	data := make([]int64, 1<<22) // want `this setup is measured with the work`
	for range b.N {
		clear(data)
	}
}

func BenchmarkKey(b *testing.B) {
	key, err := rsa.GenerateKey(rand.Reader, 2048) // want `this setup is measured with the work`
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		key.Validate()
	}
}

func BenchmarkParallel(b *testing.B) {
	time.Sleep(time.Second) // want `this setup is measured with the work`
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			sort.SearchInts(nil, 5)
		}
	})
}

// Near misses.

func BenchmarkGrow(b *testing.B) {
	var data []byte
	for len(data) < 1<<20 { // not a million rounds
		data = append(data, "some text"...)
	}
	for range b.N {
		bytes.IndexByte(data, 'y')
	}
}

func BenchmarkReset(b *testing.B) {
	values := make([]int, 200000)
	for i := 0; i < 200000; i++ {
		values[i] = i
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sort.SearchInts(values, i)
	}
}

func BenchmarkLoop(b *testing.B) {
	data := bytes.Repeat([]byte("x"), 1<<25)
	for b.Loop() {
		bytes.IndexByte(data, 'y')
	}
}

func BenchmarkSmall(b *testing.B) {
	data := make([]byte, 1<<10)
	for i := 0; i < 100; i++ {
		data[i] = 'x'
	}
	file, _ := os.ReadFile("data")
	_ = file
	for range b.N {
		bytes.IndexByte(data, 'y')
	}
}

func BenchmarkInSub(b *testing.B) {
	data := bytes.Repeat([]byte("x"), 1<<25)
	b.Run("sub", func(b *testing.B) {
		for range b.N {
			bytes.IndexByte(data, 'y')
		}
	})
}

func setup(b *testing.B) []byte {
	defer b.ResetTimer()
	return bytes.Repeat([]byte("x"), 1<<25)
}

func BenchmarkHelper(b *testing.B) {
	more := make([]byte, 1<<25)
	data := setup(b)
	for range b.N {
		bytes.Equal(more, data)
	}
}

func BenchmarkAfter(b *testing.B) {
	for range b.N {
		bytes.IndexByte(nil, 'y')
	}
	time.Sleep(time.Millisecond)
}

func BenchmarkStopped(b *testing.B) {
	b.StopTimer()
	data := bytes.Repeat([]byte("x"), 1<<25)
	b.StartTimer()
	for range b.N {
		bytes.IndexByte(data, 'y')
	}
}

func body(n int) []byte {
	var data []byte
	for i := 0; i < n; i++ {
		data = append(data, byte(i%10)+'0')
	}
	return data
}

func BenchmarkBody(b *testing.B) {
	data := body(1 << 20) // a few milliseconds
	for range b.N {
		bytes.IndexByte(data, 'y')
	}
}

func BenchmarkLargeBody(b *testing.B) {
	data := body(1 << 25) // want `this setup is measured with the work`
	for range b.N {
		bytes.IndexByte(data, 'y')
	}
}

func squares(n int) []int {
	var list []int
	for i := 0; i < n; i++ {
		list = append(list, i*i)
	}
	return list
}

func BenchmarkSquares(b *testing.B) {
	list := squares(1 << 20) // want `this setup is measured with the work`
	for range b.N {
		sort.SearchInts(list, 5)
	}
}
