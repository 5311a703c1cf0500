//go:build unix && (!linux || portable)

package worker

import (
	"os"
	"testing"
	"time"
)

func TestProcessTime(t *testing.T) {
	if used, ok := processTime(os.Getpid()); !ok || used < 0 || used > time.Hour {
		t.Errorf("this process has used %v, %t", used, ok)
	}
	if used, ok := processTime(1 << 30); ok {
		t.Errorf("a process that does not exist has used %v", used)
	}
}
