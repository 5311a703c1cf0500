package wrong

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"container/list"
	"encoding/csv"
	"encoding/gob"
	"encoding/json"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

// mistake: growingstate
func BenchmarkCollect(b *testing.B) {
	var results [][]string
	for i := 0; i < b.N; i++ {
		results = append(results, tokens(Text))
	}
	Sink = len(results)
}

// mistake: growingstate
func BenchmarkMemo(b *testing.B) {
	memo := make(map[int]int)
	for n := 1; n <= b.N; n++ {
		memo[n] = collatz(n)
	}
}

// mistake: growingstate
func BenchmarkIndexAdd(b *testing.B) {
	ix := newIndex()
	for i := 0; i < b.N; i++ {
		ix.add("the quick brown fox")
	}
}

// mistake: growingstate
func BenchmarkEncodeJSON(b *testing.B) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for b.Loop() {
		enc.Encode(point{1, 2})
	}
}

// mistake: growingstate
func BenchmarkEncodeGob(b *testing.B) {
	network := new(bytes.Buffer)
	for range b.N {
		if err := gob.NewEncoder(network).Encode([]int{1, 2, 3}); err != nil {
			b.Fatal(err)
		}
	}
}

// mistake: growingstate
func BenchmarkCompress(b *testing.B) {
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	page := bytes.Repeat([]byte("lorem ipsum "), 100)
	b.SetBytes(int64(len(page)))
	for i := 0; i < b.N; i++ {
		zw.Write(page)
		zw.Flush()
	}
}

// mistake: growingstate
func BenchmarkJoin(b *testing.B) {
	var sb strings.Builder
	for i := 0; i < b.N; i++ {
		for _, w := range tokens("a bb ccc") {
			sb.WriteString(w)
		}
	}
	Text = sb.String()
}

// mistake: growingstate
func BenchmarkEncodeHelper(b *testing.B) {
	values := fill(32)
	buf := &bytes.Buffer{}
	for b.Loop() {
		encode(buf, values)
	}
}

// mistake: growingstate
func BenchmarkQueue(b *testing.B) {
	queue := list.New()
	for i := 0; i < b.N; i++ {
		queue.PushBack(tokens(Text))
	}
}

// mistake: growingstate
func BenchmarkSyncMap(b *testing.B) {
	var m sync.Map
	for i := range b.N {
		m.Store(i, tokens(Text))
	}
}

// mistake: growingstate
func BenchmarkConcat(b *testing.B) {
	s := ""
	for i := 0; i < b.N; i++ {
		s += "word "
	}
	Text = s
}

type journal struct{ lines []string }

// mistake: growingstate
func BenchmarkJournal(b *testing.B) {
	j := &journal{}
	for i := 0; i < b.N; i++ {
		line := strings.ToLower(Text)
		j.lines = append(j.lines, line)
	}
}

// mistake: spentinput
func BenchmarkSortInts(b *testing.B) {
	data := fill(4096)
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		sort.Ints(data)
	}
}

// mistake: spentinput
func BenchmarkSortStable(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run("n", func(b *testing.B) {
			list := fill(n)
			for b.Loop() {
				slices.SortStableFunc(list, func(x, y int) int { return y - x })
			}
		})
	}
}

// mistake: spentinput
func BenchmarkScanLines(b *testing.B) {
	sc := bufio.NewScanner(strings.NewReader(strings.Repeat("a line\n", 1000)))
	for i := 0; i < b.N; i++ {
		for sc.Scan() {
			Sink += len(sc.Bytes())
		}
	}
}

// mistake: spentinput
func BenchmarkScanWords(b *testing.B) {
	input := strings.NewReader("one two three")
	words := bufio.NewScanner(input)
	words.Split(bufio.ScanWords)
	for b.Loop() {
		words.Scan()
		Text = words.Text()
	}
}

// mistake: spentinput
func BenchmarkReadAll(b *testing.B) {
	src := bytes.NewReader(make([]byte, 8192))
	for i := 0; i < b.N; i++ {
		data, err := io.ReadAll(src)
		if err != nil {
			b.Fatal(err)
		}
		Sink = len(data)
	}
}

// mistake: spentinput
func BenchmarkCSV(b *testing.B) {
	records := csv.NewReader(strings.NewReader("a,b\nc,d\n"))
	for b.Loop() {
		rows, _ := records.ReadAll()
		Sink += len(rows)
	}
}

// mistake: spentinput
func BenchmarkDecode(b *testing.B) {
	dec := json.NewDecoder(strings.NewReader(`{"x":1,"y":2}`))
	for range b.N {
		var p map[string]int
		dec.Decode(&p)
		Sink = len(p)
	}
}

// mistake: spentinput
func BenchmarkOnce(b *testing.B) {
	var once sync.Once
	for i := 0; i < b.N; i++ {
		once.Do(func() { Sink = len(fill(100)) })
	}
}

// mistake: spentinput
func BenchmarkDelete(b *testing.B) {
	m := map[string]int{"a": 1, "b": 2}
	for i := 0; i < b.N; i++ {
		delete(m, "a")
	}
}
