//go:build amd64 || arm64

package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
)

// The compiler keeps calls in a Loop of package testing even if the result is
// not used. It recognizes that Loop through the embedding in B, but not a Loop
// that forwards to it. The test reads the machine code.
func TestLoopKeepsResultsAlive(t *testing.T) {
	t.Parallel() // it waits for the go command
	o := lintdriver.Options{Dir: filepath.Join("testdata", "loop"), Env: append(os.Environ(), "GOWORK=off")}
	pkgs, broken, err := lintdriver.Load(t.Context(), o, ".")
	if err := errors.Join(append(broken, err)...); err != nil {
		t.Fatal(err)
	}
	found, unproven, err := lintdriver.Prove(t.Context(), o, pkgs, nil)
	if err := errors.Join(append(unproven, err)...); err != nil {
		t.Fatal(err)
	}
	if len(found) != 2 {
		t.Errorf("want the loops of Wrapped and Counted: %+v", found)
	}
	for _, d := range found {
		if !strings.Contains(d.Proof.Words, "the call to popcount is gone") {
			t.Errorf("%s:%d: %s", d.File, d.Line, d.Proof.Words)
		}
	}
}
