// Package result is the data model of a study and its files.
//
// The pipeline: a study (variants × benchmarks × blocks × rounds) is written
// line by line as it happens ([Writer], result.jsonl), read back whole up to
// its last complete line ([Read]), judged by cmd/tare/internal/judge, and handed to
// internal/report as a [Comparison] or a [Run]: plain structs with unrounded
// numbers in base units (see package unit).
package result
