//go:build unpaused

package paused

const pausing = false
