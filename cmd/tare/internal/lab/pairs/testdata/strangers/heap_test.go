package strangers

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"weak"
)

type node struct {
	left, right *node
	key         [6]uint64
}

func tree(depth int, key uint64) *node {
	n := &node{key: [6]uint64{key}}
	if depth > 1 {
		n.left, n.right = tree(depth-1, 2*key), tree(depth-1, 2*key+1)
	}
	return n
}

type flat struct {
	left, right uint32
	key         [6]uint64
}

func BenchmarkHeap(b *testing.B) {
	b.Run("tree_to_arena", heapTreeToArena)
	b.Run("gogc_raised", heapGogcRaised)
	b.Run("pool_to_freelist", heapPoolToFreelist)
	b.Run("tight_limit", heapTightLimit)
	b.Run("weak_cache", heapWeakCache)
}

// The live 130 MB index becomes free of pointers, so the operation (8 steps down and a 1 KB message) only pays less for marking.
func heapTreeToArena(b *testing.B) {
	setGC(b, 100)
	var root *node
	var arena []flat
	if changed {
		arena = make([]flat, 1<<21)
		for i := range arena[:1<<20] {
			arena[i] = flat{uint32(2 * i), uint32(2*i + 1), [6]uint64{uint64(i)}}
		}
	} else {
		root = tree(21, 1)
	}
	runtime.GC()
	x := uint64(7)
	for b.Loop() {
		x = next(x)
		n, i := root, uint32(1)
		for s := 40; s < 48; s++ {
			right := x>>s&1 == 1
			switch {
			case changed && right:
				i = arena[i].right
			case changed:
				i = arena[i].left
			case right:
				n = n.right
			default:
				n = n.left
			}
		}
		if changed {
			sinkU += arena[i].key[0]
		} else {
			sinkU += n.key[0]
		}
		sinkB = make([]byte, 1024)
	}
	runtime.KeepAlive(root)
	runtime.KeepAlive(arena)
}

// GOGC goes from 100 to 400 over a live tree of 67 MB, with operations of about 1 µs that allocate 1 KB of nodes.
func heapGogcRaised(b *testing.B) {
	setGC(b, pick(100, 400))
	root := tree(20, 1)
	runtime.GC()
	b.ResetTimer()
	for i := range b.N {
		sinkU += burn(200)
		sinkAny = tree(4, uint64(i))
	}
	runtime.KeepAlive(root)
}

// A sync.Pool, emptied by every second collection, becomes a free list that keeps its 32 KB buffer: seldom enough to cost nothing.
func heapPoolToFreelist(b *testing.B) {
	setGC(b, 100)
	pool := sync.Pool{New: func() any { return new([32 << 10]byte) }}
	free := []any{new([32 << 10]byte)}
	for b.Loop() {
		var v any
		if changed {
			v, free = free[len(free)-1], free[:len(free)-1]
		} else {
			v = pool.Get()
		}
		buf := v.(*[32 << 10]byte)
		buf[0]++
		sinkU += burn(2000) + uint64(buf[0])
		sinkB = make([]byte, 1500)
		if changed {
			free = append(free, v)
		} else {
			pool.Put(v)
		}
	}
}

// A memory limit of 110 MB instead of 400 MB over 67 MB of live nodes makes the collections several times as frequent.
func heapTightLimit(b *testing.B) {
	root := tree(20, 1)
	debug.FreeOSMemory()
	setGC(b, -1)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(pick(400, 110)) << 20))
	for b.Loop() {
		sinkB = make([]byte, 4096)
		sinkU += burn(500)
	}
	runtime.KeepAlive(root)
}

// A cache of 4096 values of 1 KB holds them by weak pointers, so that each collection (every 20 MB) empties it and all are built again.
func heapWeakCache(b *testing.B) {
	setGC(b, 100)
	ballast := make([]byte, 20<<20)
	strong, weakly := make([]*[1024]byte, 4096), make([]weak.Pointer[[1024]byte], 4096)
	for i := 0; b.Loop(); i++ {
		k := i & 4095
		v := pick(strong[k], weakly[k].Value())
		if v == nil {
			sinkU += burn(1500)
			v = new([1024]byte)
			if changed {
				weakly[k] = weak.Make(v)
			} else {
				strong[k] = v
			}
		}
		sinkU += burn(300) + uint64(v[5])
		sinkB = make([]byte, 256)
	}
	runtime.KeepAlive(ballast)
}
