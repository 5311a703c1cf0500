// Package lintdriver runs the checks of package lint for the command line.
//
// The pipeline: [Load] loads packages with their tests; [Run] runs checks over
// them and returns [Diagnostic] values; [Prove] compares these with the machine
// code of the test binaries; [Fix] applies the suggested fixes in memory, and
// [SARIF] writes the findings for code hosts.
package lintdriver
