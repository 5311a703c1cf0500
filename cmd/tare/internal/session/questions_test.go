package session

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/variant"
)

func TestProfiled(t *testing.T) {
	pkg := func(path, profile string, benchmarks bool) variant.Package {
		return variant.Package{Path: path, Profile: profile, Benchmarks: benchmarks}
	}
	tests := []struct {
		name     string
		old, new []variant.Package
		want     string
	}{
		{"both", []variant.Package{pkg("a", "x", true)}, []variant.Package{pkg("a", "y", true)}, ""},
		{"new", []variant.Package{pkg("a", "", true)}, []variant.Package{pkg("a", "y", true)}, "a"},
		{"old", []variant.Package{pkg("a", "x", true), pkg("b", "", true)}, []variant.Package{pkg("a", "", true), pkg("b", "", true)}, "a"},
		{"no benchmarks", []variant.Package{pkg("a", "", false)}, []variant.Package{pkg("a", "y", false)}, ""},
		{"on one side only", nil, []variant.Package{pkg("a", "y", true)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, f := range profiled([][]variant.Package{tt.old, tt.new}, []string{"old", "new"}) {
				got += f.Subject
			}
			if got != tt.want {
				t.Errorf("packages %q, want %q", got, tt.want)
			}
		})
	}
}
