//go:build !linux

package testing

// Only Linux has such events; the parent never hands any over.

func tareReceive(socket, count int) []int { return nil }

func tareThread() int { return 0 }

func tareIoctl(fd int, request uintptr) bool { return false }
