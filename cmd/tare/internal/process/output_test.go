package process

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestOutputWithoutEnd: what a program prints takes bounded memory, and the first and
// the last words are kept.
func TestOutputWithoutEnd(t *testing.T) {
	t.Parallel()
	o := Output{Most: 100}
	for range 10_000 {
		o.Write([]byte("0123456789"))
	}
	o.Write([]byte("end"))
	if got := o.String(); len(got) > 300 || !strings.HasPrefix(got, "0123") || !strings.HasSuffix(got, "end") || !strings.Contains(got, "99803 bytes omitted") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if cap(o.first)+cap(o.last) > 1000 {
		t.Errorf("%d and %d bytes in memory", cap(o.first), cap(o.last))
	}
}

// TestWithin: -timeout ends a program that prints without end, in words.
func TestWithin(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("yes"); err != nil {
		t.Skip(err)
	}
	ctx, cancel := Within(t.Context(), 200*time.Millisecond)
	defer cancel()
	text, err := Text(Command(ctx, "yes"))
	if err == nil || len(text) < 1<<10 || len(text) > 9<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
