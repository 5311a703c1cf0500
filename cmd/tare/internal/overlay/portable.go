//go:build portable

package overlay

// portable is true in a build that takes the way of systems without Linux's
// futexes, CPU placement and thread clocks, so that Linux can test it.
const portable = true
