// Package prove asks the machine code of a test binary whether the work of a
// benchmark is still there.
//
// The pipeline: [Open] reads the binary's DWARF and text (binary.go); the
// timed loops and the calls in them are found in the benchmark's source
// (source.go); the function's instructions are decoded (decode.go) and given
// their places, through every level of inlining; the loop is the cycle among
// the instructions that come from its lines (loop.go); what became of each
// call is a [Proof] (proof.go).
//
// It reads ELF, Mach-O and PE files of amd64 and arm64 that were linked with
// DWARF: go test -c does so, go test alone does not. The sources must be where
// the binary says they are.
package prove
