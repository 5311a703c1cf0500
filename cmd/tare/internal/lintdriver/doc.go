// Package lintdriver runs the checks of package lint for the command line.
//
// The pipeline: [Select] chooses checks; [Load] loads packages with their
// tests; [Run] runs checks over them and returns [Diagnostic] values; [Prove]
// compares these with the machine code of the test binaries; [Fix] applies the
// suggested fixes in memory. [Check] does all of it and returns a [Report],
// which [Report.Write] writes as text, JSON or for code hosts.
// [AnswerVet] answers go vet instead, which loads packages itself.
package lintdriver
