//go:build lab

package lab

// Long says that the tag lab is set.
const Long = true
