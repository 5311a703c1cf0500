//go:build !changed

package pairs

const changed = false
