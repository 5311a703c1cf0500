//go:build !changed

// Package strangers holds pairs of benchmarks, old and (with the tag changed) new.
package strangers

const changed = false
