package build

import (
	"strings"
	"testing"
)

// TestGoflagsExec: a program between tare and the test binary is not left out
// without a word.
func TestGoflagsExec(t *testing.T) {
	if set := mergeFlags("'-exec=taskset -c 1'", nil, Spec{}); set.exec != "taskset -c 1" || len(set.list()) != 0 {
		t.Errorf("%+v", set)
	}
	b := newBuilder(t, tree(t, t.TempDir(), answer("x")))
	_, err := b.Open(t.Context(), mustParse(t, ".,env=GOFLAGS=-exec=taskset"))
	if err == nil || !strings.Contains(err.Error(), "GOFLAGS has -exec=taskset") {
		t.Errorf("opened: %v", err)
	}
}

func mustParse(t *testing.T, text string) Spec {
	t.Helper()
	spec, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}
