//go:build !big

package cache

const big = false
