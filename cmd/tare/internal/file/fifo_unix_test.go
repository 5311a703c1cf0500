//go:build unix

package file

import (
	"syscall"
	"testing"
)

func fifo(t *testing.T, path string) {
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
}
