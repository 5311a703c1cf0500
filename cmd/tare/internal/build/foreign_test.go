package build

import (
	"context"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestForeign: an architecture that this machine does not run is found before any
// package is listed or built.
func TestForeign(t *testing.T) {
	t.Parallel()
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	tried := false
	b.Exec = func(ctx context.Context, c Command) (stdout, stderr []byte, err error) {
		switch {
		case slices.Contains(c.Args, "main.go"):
			return nil, nil, nil
		case filepath.Base(c.Args[0]) == "main":
			tried = true
			return nil, nil, syscall.ENOEXEC
		case slices.Contains(c.Args, "list") || tried:
			t.Errorf("%q for an architecture that does not run", c.Args)
		}
		return executor(drainDelay)(ctx, c)
	}
	spec, err := Parse(".,env=GOOS=linux,env=GOARCH=s390x")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Open(t.Context(), spec)
	if err == nil || !tried {
		t.Fatalf("opened, with %v", err)
	}
	wantIn(t, err.Error(), "linux/s390x", "exec format error", "emulator")
}
