//go:build lab

package lab

// Long reports whether the tag lab is set.
const Long = true
