// Package golangci makes the checks of tare lint a module plugin of
// golangci-lint. It is a separate Go module, so that no other user gets its
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
//	          checks: [bnsize, noloop]
package golangci

import (
	"fmt"
	"slices"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/tarebench/tare/cmd/tare/lint"
)

func init() { register.Plugin("tare", New) }

// Settings are the settings of .golangci.yml.
type Settings struct {
	// Checks are the ids to run. "all", or an empty list, selects all of them.
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

// BuildAnalyzers returns the analyzers of the settings.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	var list []*analysis.Analyzer
	for _, name := range p.settings.Checks {
		if name == "all" {
			return lint.Analyzers(), nil
		}
		i := slices.IndexFunc(lint.Checks(), func(c lint.Check) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("read settings of tare: no check is called %q", name)
		}
		list = append(list, lint.Checks()[i].Analyzer)
	}
	if len(list) == 0 {
		return lint.Analyzers(), nil
	}
	return list, nil
}

// GetLoadMode reports that the checks need types.
func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
