//go:build portable

package overlay

// portable is true in a build that takes the way of systems without futexes,
// CPU placement and thread clocks, so that Linux can test it.
const portable = true
