package wrong

import (
	"bytes"
	"errors"
	"hash/fnv"
	"sort"
	"strings"
	"sync"
)

var (
	Sink    int
	Bytes   []byte
	Text    string
	Seed    uint64 = 0x9e3779b97f4a7c15
	errNone        = errors.New("none")
)

func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>29
}

type point struct{ x, y float64 }

func (p point) norm2() float64 { return p.x*p.x + p.y*p.y }

func checksum(data []byte) uint32 {
	h := fnv.New32a()
	h.Write(data)
	return h.Sum32()
}

func tokens(s string) []string { return strings.Fields(s) }

func collatz(n int) int {
	if n == 1 {
		return 0
	}
	if n%2 == 0 {
		return 1 + collatz(n/2)
	}
	return 1 + collatz(3*n+1)
}

func permutations(n int) int {
	if n <= 1 {
		return 1
	}
	return n*permutations(n-1) + permutations(n-1)
}

func quadratic(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			sum += i ^ j
		}
	}
	return sum
}

func fill(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i * 7919 % n
	}
	return out
}

// index is a small inverted index that only grows.
type index struct {
	mu    sync.Mutex
	words map[string][]int
	docs  []string
}

func newIndex() *index { return &index{words: make(map[string][]int)} }

func (ix *index) add(doc string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.docs = append(ix.docs, doc)
	for _, w := range tokens(doc) {
		ix.words[w] = append(ix.words[w], len(ix.docs))
	}
}

func (ix *index) find(word string) []int { return ix.words[word] }

func encode(dst *bytes.Buffer, values []int) {
	for _, v := range values {
		dst.WriteByte(byte(v))
	}
}

func find(list []int, x int) int {
	return sort.SearchInts(list, x)
}

func store(key string, value int) error {
	if key == "" {
		return errNone
	}
	Sink = value
	return nil
}
