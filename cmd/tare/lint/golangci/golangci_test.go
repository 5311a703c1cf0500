package golangci

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/tarebench/tare/cmd/tare/lint"
)

func TestPlugin(t *testing.T) {
	newPlugin, err := register.GetPlugin("tare")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		settings any
		want     int // analyzers; −1 for an error
	}{
		{"default", nil, len(lint.Analyzers())},
		{"all", map[string]any{"checks": []string{"all"}}, len(lint.Analyzers())},
		{"two", map[string]any{"checks": []string{"bnsize", "noloop"}}, 2},
		{"unknown", map[string]any{"checks": []string{"nosuch"}}, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := newPlugin(tt.settings)
			if err != nil {
				t.Fatal(err)
			}
			list, err := p.BuildAnalyzers()
			if (err != nil) != (tt.want < 0) || err == nil && len(list) != tt.want {
				t.Errorf("%d analyzers, error %v; want %d", len(list), err, tt.want)
			}
			if p.GetLoadMode() != register.LoadModeTypesInfo {
				t.Errorf("load mode %q", p.GetLoadMode())
			}
		})
	}
	if _, err := newPlugin(map[string]any{"checkz": 1}); err == nil {
		t.Error("an unknown setting is no error")
	}
}
