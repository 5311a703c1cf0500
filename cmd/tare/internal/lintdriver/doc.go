// Package lintdriver runs the checks of package lint. It also reads how much of
// a benchmark's work the compiler has kept.
//
// [Check] loads packages, runs the checks and returns a [Report]. With proofs,
// it builds the test binaries and compares the findings with their machine
// code. [AnswerVet] answers go vet instead, which loads packages itself.
// [Prove] reads binaries: a loop is the cycle among the instructions that come,
// through every level of inlining, from its lines. It reads ELF, Mach-O and PE
// files of amd64 and arm64 with debug information, as go test -c writes it.
package lintdriver
