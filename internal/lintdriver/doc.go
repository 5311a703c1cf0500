// Package lintdriver runs the checks of package lint for the command line.
//
// The pipeline: [Select] chooses checks; [Load] loads packages with their
// tests; [Run] runs checks over them and returns [Diagnostic] values; [Prove]
// compares these with the machine code of the test binaries; [Fix] applies the
// suggested fixes in memory. [Check] does all of it and returns a [Report],
// which is written as text, JSON or a diff; [SARIF] and
// [Report.WriteCodeQuality] write it for code hosts.
package lintdriver
