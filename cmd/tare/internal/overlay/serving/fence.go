//go:build amd64 || arm64

package testing

// tareFence lets no instruction after it begin before all instructions before
// it are done. On both sides of an operation it prevents the CPU from executing
// the operation while the clock is read.
func tareFence()

const tareFenced = true
