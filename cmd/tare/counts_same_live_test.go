//go:build lab

package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/instrument"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// unsteady are ten benchmarks that allocate or use maps, so that what they count
// depends on the hash seeds and the heap of a process.
const unsteady = `package counted

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"
	"testing"
)

type node struct {
	next *node
	key  string
}

var (
	keys   = make([]string, 300)
	table  = make(map[string]int)
	pool   = sync.Pool{New: func() any { return new([256]byte) }}
	sum    int
	kept   *node
	bytes_ []byte
	text   string
	order  []string
)

func init() {
	for i := range keys {
		keys[i] = fmt.Sprint("key ", i*i)
		table[keys[i]] = i
	}
}

func BenchmarkObjects(b *testing.B) {
	for b.Loop() {
		kept = &node{next: nil, key: "a"}
	}
}

func BenchmarkGrow(b *testing.B) {
	for b.Loop() {
		bytes_ = nil
		for i := range 1000 {
			bytes_ = append(bytes_, byte(i))
		}
	}
}

func BenchmarkBuildMap(b *testing.B) {
	for b.Loop() {
		m := make(map[string]int)
		for i, k := range keys {
			m[k] = i
		}
		sum += len(m)
	}
}

func BenchmarkLookUp(b *testing.B) {
	for b.Loop() {
		for _, k := range keys {
			sum += table[k]
		}
	}
}

func BenchmarkIterate(b *testing.B) {
	for b.Loop() {
		for _, v := range table {
			sum += v
		}
	}
}

func BenchmarkInsertDelete(b *testing.B) {
	m := make(map[int]int)
	i := 0
	for b.Loop() {
		m[i] = i
		delete(m, i-100)
		i++
	}
}

func BenchmarkJoin(b *testing.B) {
	for b.Loop() {
		var s strings.Builder
		for _, k := range keys {
			s.WriteString(k)
		}
		text = s.String()
	}
}

func BenchmarkSortKeys(b *testing.B) {
	for b.Loop() {
		order = order[:0]
		for k := range table {
			order = append(order, k)
		}
		sort.Strings(order)
	}
}

func BenchmarkUnmarshal(b *testing.B) {
	data := []byte(` + "`" + `{"a": 1, "b": [1, 2, 3], "c": {"d": "e", "f": null}, "g": 2.5}` + "`" + `)
	for b.Loop() {
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPool(b *testing.B) {
	for b.Loop() {
		p := pool.Get().(*[256]byte)
		sum += int(p[0])
		pool.Put(p)
	}
}
`

// TestUnchangedCounts compares ten benchmarks with themselves under the counter:
// twenty comparisons each make 200, of which at most 16 may be called different.
func TestUnchangedCounts(t *testing.T) {
	if f := instrument.CheckValgrind(t.Context(), instrument.Run); f != nil {
		t.Skip(f)
	}
	runs := 2
	if text := os.Getenv("COUNTS_RUNS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("COUNTS_RUNS=%q is not a number of runs", text)
		}
		runs = n
	}
	compare := tareIn(t, map[string]string{"unsteady_test.go": unsteady})
	comparisons, different, alone := 0, 0, 0
	for run := range runs {
		var c result.Comparison
		compare(&c, "compare", "-units=counts,instructions", "-measure-all", "-json", ".", ".")
		rows := 0
		for _, row := range c.Benchmarks {
			if row.Unit != instrument.UnitInstructions {
				continue
			}
			rows++
			comparisons++
			if row.Verdict == result.Faster || row.Verdict == result.Slower {
				different++
			}
			if row.P != nil && *row.P <= 0.05 && row.Verdict != result.Same {
				alone++
			}
			t.Logf("run %d, %s: %s, %.4f%% (%.4f to %.4f%%)", run, row.Name, row.Verdict, 100*(row.Change.Ratio-1), 100*(row.Change.Lo-1), 100*(row.Change.Hi-1))
		}
		if rows != 10 {
			t.Errorf("run %d has %d rows of instructions, want 10: %+v", run, rows, c.Findings)
		}
		t.Logf("%d comparisons: %d called different, %d different alone", comparisons, different, alone)
	}
	if limit := float64(comparisons) * 16 / 200; comparisons >= 200 && float64(different) > limit {
		t.Errorf("%d of %d comparisons without a change called different", different, comparisons)
	}
}
