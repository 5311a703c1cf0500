package session

import (
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// filterRecording keeps the benchmarks of a recording whose names match.
func filterRecording(rec *result.Recording, match func(string) bool) *result.Recording {
	out := *rec
	out.Benchmarks, out.Stops, out.Counts = nil, nil, nil
	index := make(map[int]int)
	for i, b := range rec.Benchmarks {
		if match(b.Name) {
			index[i] = len(out.Benchmarks)
			out.Benchmarks = append(out.Benchmarks, b)
		}
	}
	for _, s := range rec.Stops {
		if i, ok := index[s.Benchmark]; ok {
			s.Benchmark = i
			out.Stops = append(out.Stops, s)
		}
	}
	for _, c := range rec.Counts {
		if i, ok := index[c.Benchmark]; ok {
			c.Benchmark = i
			out.Counts = append(out.Counts, c)
		}
	}
	return &out
}
