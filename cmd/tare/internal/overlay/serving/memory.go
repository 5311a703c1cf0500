//go:build unix

// The memory of the process after a slice that requests it.

package testing

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
)

const tareSiteRate = 2048

// tareLeast is the growth of the live heap from which its sites are looked up.
const tareLeast = 16 << 10

var tareEarlier struct {
	live  uint64
	sites map[[32]uintptr]int64
}

var tareMemorySamples = []metrics.Sample{
	{Name: "/gc/heap/live:bytes"},
	{Name: "/gc/heap/goal:bytes"},
	{Name: "/memory/classes/heap/stacks:bytes"},
	{Name: "/sched/goroutines:goroutines"},
}

// tareMemory collects and reads the memory, by unit. A second collection empties
// the pools of package sync. Peak RSS is known on Linux only. If the live heap
// has grown since the last reading, "retains PLACE" has the sampled bytes of the
// stacks that allocated most of it.
func tareMemory() map[string]float64 {
	for range 3 { // the profile is two collections late
		runtime.GC()
	}
	metrics.Read(tareMemorySamples)
	all := make(map[string]float64)
	for i, unit := range [...]string{"live-B", "goal-B", "stack-B", "goroutines"} {
		if v := tareMemorySamples[i].Value; v.Kind() == metrics.KindUint64 {
			all[unit] = float64(v.Uint64())
		}
	}
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		if f := strings.Fields(rest); len(f) > 0 {
			kib, _ := strconv.ParseFloat(f[0], 64)
			all["peak-RSS-B"] = 1024 * kib
		}
	}
	e := &tareEarlier
	if e.sites != nil && all["live-B"] >= float64(e.live+tareLeast) {
		for place, bytes := range tareSites(e.sites) {
			all["retains "+place] = float64(bytes)
		}
	}
	if e.sites == nil {
		e.sites = make(map[[32]uintptr]int64)
		tareProfile(func(r *runtime.MemProfileRecord) { e.sites[r.Stack0] += r.InUseBytes() })
		runtime.MemProfileRate = tareSiteRate
	}
	e.live = uint64(all["live-B"])
	return all
}

func tareProfile(do func(*runtime.MemProfileRecord)) {
	records := make([]runtime.MemProfileRecord, 256)
	n, ok := runtime.MemProfile(records, false)
	for !ok {
		records = make([]runtime.MemProfileRecord, n+64)
		n, ok = runtime.MemProfile(records, false)
	}
	for i := range records[:n] {
		do(&records[i])
	}
}

// tareSites returns the three places that keep most of the bytes that are new
// since before.
func tareSites(before map[[32]uintptr]int64) map[string]int64 {
	grown := make(map[string]int64)
	tareProfile(func(r *runtime.MemProfileRecord) {
		if more := r.InUseBytes() - before[r.Stack0]; more > 0 {
			frames := runtime.CallersFrames(r.Stack())
			var f runtime.Frame
			for g, next := frames.Next(); g.Function != ""; g, next = frames.Next() {
				if strings.HasPrefix(g.Function, "testing.tare") {
					return // this file's own
				}
				if f.Function == "" && !strings.HasPrefix(g.Function, "runtime.") && !strings.HasPrefix(g.Function, "internal/runtime/") {
					f = g
				}
				if !next {
					break
				}
			}
			if f.Function == "" {
				return // stacks, and other memory of the runtime
			}
			name, file := f.Function[strings.LastIndexByte(f.Function, '/')+1:], f.File[strings.LastIndexByte(f.File, '/')+1:]
			place := name + " (" + file + ":" + strconv.Itoa(f.Line) + ")"
			grown[place[:min(len(place), tareUnitBytes-len("retains "))]] += more
		}
	})
	most := make(map[string]int64)
	for len(most) < 3 && len(grown) > 0 {
		top := ""
		for place, bytes := range grown {
			if top == "" || bytes > grown[top] {
				top = place
			}
		}
		most[top] = grown[top]
		delete(grown, top)
	}
	return most
}

// tareReported returns the metrics of a slice: those of the benchmark, or the
// readings that the order requests.
func (b *B) tareReported() map[string]float64 {
	if b.tare.order.reading&tareReadMemory != 0 {
		return tareMemory()
	}
	if b.tare.order.reading&tareReadTail != 0 {
		return b.tare.tail.tareQuantiles()
	}
	return b.extra
}
