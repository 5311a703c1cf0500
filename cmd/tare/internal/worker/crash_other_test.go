//go:build !linux

package worker

// victim is a parent that a test kills; see crash_linux_test.go.
func victim(path string) {}
