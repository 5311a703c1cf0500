//go:build changed

package pairs

const changed = true
