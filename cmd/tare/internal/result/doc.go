// Package result is the data model of a study and its files.
//
// A study (variants × benchmarks × blocks × rounds) is written line by line
// while it runs ([Writer], result.jsonl), and read up to its last complete line
// ([Read]). Package cmd/tare/internal/judge judges it. Package report gets a
// [Comparison] or a [Run]: plain structs with unrounded numbers in base units
// (see package unit).
package result
