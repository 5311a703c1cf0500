package session

import (
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/build"
)

func TestProfiled(t *testing.T) {
	pkg := func(path, profile string, benchmarks bool) build.Package {
		return build.Package{Path: path, Profile: profile, Benchmarks: benchmarks}
	}
	tests := []struct {
		name     string
		old, new []build.Package
		want     string
	}{
		{"both", []build.Package{pkg("a", "x", true)}, []build.Package{pkg("a", "y", true)}, ""},
		{"new", []build.Package{pkg("a", "", true)}, []build.Package{pkg("a", "y", true)}, "a"},
		{"old", []build.Package{pkg("a", "x", true), pkg("b", "", true)}, []build.Package{pkg("a", "", true), pkg("b", "", true)}, "a"},
		{"no benchmarks", []build.Package{pkg("a", "", false)}, []build.Package{pkg("a", "y", false)}, ""},
		{"on one side only", nil, []build.Package{pkg("a", "y", true)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, f := range profiled([][]build.Package{tt.old, tt.new}, []string{"old", "new"}) {
				got += f.Subject
			}
			if got != tt.want {
				t.Errorf("packages %q, want %q", got, tt.want)
			}
		})
	}
}
