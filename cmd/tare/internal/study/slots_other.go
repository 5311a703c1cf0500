//go:build !windows

package study

const programSuffix = ""
