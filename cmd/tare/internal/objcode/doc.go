// Package objcode decides, without running anything, which benchmarks of two
// test binaries execute the same machine code on the same initial data.
//
// The pipeline: [Reader.Open] reads the objects that a link names and resolves
// their symbols by the linker's rules; [Compare] matches the symbols of two
// programs from the entry point, all init functions and TestMain on;
// [Comparison.Benchmark] extends that match from one benchmark.
//
// Two symbols match when their kind, size, alignment, attributes, bytes, frame
// size, stack maps and unwinding tables are equal and their relocations are
// equal and lead to symbols that match. The match is one to one, and names do
// not count: a renamed function is the same code. What is left out are line
// tables, debug information and the order of functions.
//
// What a benchmark can reach is found as the linker finds what a program can
// reach (cmd/link/internal/ld/deadcode.go), from fewer roots: an interface
// call reaches each method of that name and type of each type that is
// converted to an interface.
//
// Whatever is not understood is a difference.
//
// Each Go release needs its owner: compare the relocation numbers and the sizes in
// object.go with cmd/internal/objabi/reloctype.go and cmd/internal/goobj, and the
// rules of follow.go with cmd/link/internal/ld/deadcode.go; then add the release
// to checkToolchain. Objects of another release are not read: everything is
// measured.
package objcode
