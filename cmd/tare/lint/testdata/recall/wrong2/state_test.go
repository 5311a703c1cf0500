package wrong2

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
)

var History []int

// mistake: growingstate
func BenchmarkRecord(b *testing.B) {
	for i := 0; i < b.N; i++ {
		History = append(History, collatz(i%100+1))
	}
}

// mistake: growingstate
func BenchmarkMemo(b *testing.B) {
	memo := make(map[int]int)
	for i := 0; i < b.N; i++ {
		if _, ok := memo[i]; !ok {
			memo[i] = collatz(i%100 + 1)
		}
	}
}

// mistake: growingstate
func BenchmarkJoin(b *testing.B) {
	var out strings.Builder
	for i := 0; i < b.N; i++ {
		for _, w := range []string{"the", "lazy", "dog"} {
			out.WriteString(w)
			out.WriteByte(' ')
		}
	}
}

// mistake: growingstate
func BenchmarkEncode(b *testing.B) {
	r := record{"chair", 99.5, []string{"wood", "four legs"}}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for b.Loop() {
		if err := enc.Encode(r); err != nil {
			b.Fatal(err)
		}
	}
}

// mistake: growingstate
func BenchmarkCompress(b *testing.B) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for i := 0; i < b.N; i++ {
		z.Write([]byte(text))
	}
	z.Close()
}

// mistake: growingstate
func BenchmarkPush(b *testing.B) {
	var s stack
	for i := 0; i < b.N; i++ {
		s.push(i)
	}
}

// mistake: growingstate
func BenchmarkAdd(b *testing.B) {
	x := &index{lists: make(map[string][]int)}
	for i := 0; b.Loop(); i++ {
		x.add("fox", i)
	}
}

// mistake: spentinput
func BenchmarkSort(b *testing.B) {
	values := rand.Perm(10000)
	for i := 0; i < b.N; i++ {
		sort.Ints(values)
	}
}

// mistake: spentinput
func BenchmarkSortFunc(b *testing.B) {
	names := strings.Fields(strings.Repeat(text+" ", 100))
	for b.Loop() {
		slices.SortFunc(names, func(x, y string) int { return len(x) - len(y) })
	}
}

// mistake: spentinput
func BenchmarkScanLines(b *testing.B) {
	in := bufio.NewScanner(strings.NewReader(strings.Repeat(text+"\n", 1000)))
	for i := 0; i < b.N; i++ {
		for in.Scan() {
			Count += len(in.Bytes())
		}
	}
}

// mistake: spentinput
func BenchmarkReadAll(b *testing.B) {
	r := bytes.NewReader([]byte(strings.Repeat(text, 1000)))
	for b.Loop() {
		all, err := io.ReadAll(r)
		if err != nil {
			b.Fatal(err)
		}
		Count = len(all)
	}
}

// mistake: spentinput
func BenchmarkCSV(b *testing.B) {
	r := csv.NewReader(strings.NewReader(strings.Repeat("a,b,c\n", 1000)))
	for i := 0; i < b.N; i++ {
		rows, _ := r.ReadAll()
		Count = len(rows)
	}
}

// mistake: spentinput
func BenchmarkDecode(b *testing.B) {
	dec := json.NewDecoder(strings.NewReader(`{"Name":"chair","Price":99.5}`))
	for i := 0; i < b.N; i++ {
		var r record
		dec.Decode(&r)
		Count = len(r.Name)
	}
}

// mistake: spentinput
func BenchmarkPop(b *testing.B) {
	var s stack
	for i := range 1000 {
		s.push(i)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		Count, _ = s.pop()
	}
}
