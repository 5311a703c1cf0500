// Package percentiles is lesson 5: percentiles of a testing benchmark.
//
//	go test -bench . ./samples/percentiles
//
// A buffer that flushes once in fifty appends is fast in the mean, and Mean
// reports that. Percentiles has p50 for the forty-nine and p99 for the
// fiftieth, on a result line that benchstat and tare stat compare as any other.
package percentiles

import "hash/crc32"

// Log gathers lines and seals every fiftieth batch with a checksum.
type Log struct {
	lines []byte
	n     int
	Sum   uint32
}

// Append adds a line.
func (l *Log) Append(line string) {
	l.lines = append(l.lines, line...)
	if l.n++; l.n == 50 {
		for range 20 {
			l.Sum = crc32.Update(l.Sum, crc32.IEEETable, l.lines)
		}
		l.lines, l.n = l.lines[:0], 0
	}
}
