// Package lintdriver runs the checks of package lint. It also reads how much of
// a benchmark's work the compiler has kept.
//
// [Check] loads packages, runs the checks and returns a [Report]. With proofs,
// it compiles the tests and compares the findings with their machine code. [AnswerVet] answers go vet instead, which loads packages itself.
// For [Prove], a loop is the cycle among the instructions that come, through
// every level of inlining, from its lines. It reads objects for amd64 and arm64.
package lintdriver
