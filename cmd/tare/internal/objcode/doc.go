// Package objcode decides, without running anything, which benchmarks of two
// test binaries execute the same machine code on the same initial data.
//
// [Reader.Open] reads the objects that a link names and resolves their symbols
// by the linker's rules. [Compare] matches the symbols of two programs,
// beginning at the entry point, all init functions and TestMain.
// [Comparison.Benchmark] extends that match to one benchmark.
//
// Two symbols match if their kind, size, alignment, attributes, bytes, frame
// size, stack maps and unwinding tables are equal, and if their relocations are
// equal and lead to symbols that match. The match is one to one, and names do
// not count: a renamed function is the same code. Line tables, debug
// information and the order of functions do not count either.
//
// The match finds the code that a benchmark can reach as the linker finds the
// code that a program can reach (cmd/link/internal/ld/deadcode.go), but from
// fewer roots. An interface call reaches each method of that name and type of
// each type that is converted to an interface.
//
// Everything that is not understood counts as a difference.
//
// Each Go release needs its owner: see docs/go-release.md. Objects of another
// release are not read: everything is measured.
package objcode
