// Package golangci makes the checks of tare lint a module plugin of
// golangci-lint. It is a Go module of its own, so that nobody else gets its
// dependency.
//
// In .custom-gcl.yml:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/tarebench/tare/cmd/tare/lint/golangci
//	    version: latest
//
// and in .golangci.yml, after golangci-lint custom has built the program:
//
//	linters:
//	  enable: [tare]
//	  settings:
//	    custom:
//	      tare:
//	        type: module
//	        settings:
//	          checks: [default, pausedloop]
package golangci

import (
	"fmt"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/cmd/tare/lint"
)

func init() { register.Plugin("tare", New) }

// Settings are what .golangci.yml may say.
type Settings struct {
	// Checks are the ids to run; "default" and "all" stand for lists of them.
	// Empty is the default.
	Checks []string `json:"checks"`
}

// New makes the plugin from its settings.
func New(raw any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("read settings of tare: %w", err)
	}
	return plugin{settings}, nil
}

type plugin struct{ settings Settings }

// BuildAnalyzers returns the analyzers that the settings ask for.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	names := p.settings.Checks
	if len(names) == 0 {
		names = []string{"default"}
	}
	chosen := make(map[string]bool)
	for _, name := range names {
		known := false
		for _, c := range lint.Checks() {
			if name == c.Name || name == "all" || name == "default" && c.Default {
				chosen[c.Name], known = true, true
			}
		}
		if !known {
			return nil, fmt.Errorf("read settings of tare: no check is called %q", name)
		}
	}
	var list []*analysis.Analyzer
	for _, c := range lint.Checks() {
		if chosen[c.Name] {
			list = append(list, c.Analyzer)
		}
	}
	return list, nil
}

// GetLoadMode says that the checks need types.
func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
