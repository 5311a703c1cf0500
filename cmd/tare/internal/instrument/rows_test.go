package instrument

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func TestNames(t *testing.T) {
	changes := []result.FunctionChange{{Name: "example.com/m/a.F[go.shape.int/x]", File: "x/a.go", Line: 3, Old: 1, New: 2}, {Name: "b", Old: 5}, {Name: "c", New: 1}}
	got := Names(changes, 2, func(v float64) string {
		if v > 0 {
			return "up"
		}
		return "down"
	})
	if want := "a.F[go.shape.int/x] (a.go:3) up, b down, and 1 more"; got != want {
		t.Errorf("Names = %q, want %q", got, want)
	}
}
