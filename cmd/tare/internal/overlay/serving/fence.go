//go:build amd64 || arm64

package testing

// tareFence lets no instruction after it begin before all before it are
// done. On both sides of an operation it keeps the processor from working on
// it while the clock is read.
func tareFence()

const tareFenced = true
