//go:build !portable

package overlay

const portable = false
