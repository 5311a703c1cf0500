package lintdriver

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/cmd/tare/lint"
	"github.com/tarebench/tare/internal/finding"
)

// The parts of SARIF 2.1.0 that a code host reads.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool              `json:"tool"`
	Columns    string                 `json:"columnKind"`
	Bases      map[string]sarifFolder `json:"originalUriBaseIds,omitempty"`
	Results    []sarifResult          `json:"results"`
	Invocation []sarifInvocation      `json:"invocations"`
}

type sarifFolder struct {
	URI string `json:"uri"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	URI     string      `json:"informationUri"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string           `json:"id"`
	Short   sarifText        `json:"shortDescription"`
	Full    sarifText        `json:"fullDescription"`
	Help    string           `json:"helpUri"`
	Default sarifRuleDefault `json:"defaultConfiguration"`
}

type sarifRuleDefault struct {
	Enabled bool   `json:"enabled"`
	Level   string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Rule      string          `json:"ruleId"`
	Index     int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Fixes     []sarifFix      `json:"fixes,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifBytes `json:"deletedRegion"`
	Inserted *sarifText `json:"insertedContent,omitempty"`
}

type sarifBytes struct {
	Offset int `json:"byteOffset"`
	Length int `json:"byteLength"`
}

// sarifRoot is the name under which relative paths are resolved.
const sarifRoot = "SRCROOT"

// writeSARIF writes a log of findings for code hosts, SARIF 2.1.0. Version is
// that of tare.
func (r Report) writeSARIF(w io.Writer, checks []lint.Check, version string) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "tare", Version: version, URI: "https://github.com/tarebench/tare"}},
		Columns:    "utf16CodeUnits",
		Bases:      map[string]sarifFolder{sarifRoot: {fileURI(r.Dir) + "/"}},
		Results:    []sarifResult{},
		Invocation: []sarifInvocation{r.invocation()},
	}
	index := make(map[string]int)
	for i, c := range checks {
		index[c.Name] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: c.Name, Short: sarifText{c.Title()}, Full: sarifText{c.Doc}, Help: c.URL,
			Default: sarifRuleDefault{c.Default, sarifLevel(c.Severity)},
		})
	}
	columns := make(utf16Columns)
	for _, d := range r.Findings {
		region := sarifRegion{d.Line, columns.of(d.File, d.Line, d.Column), d.EndLine, columns.of(d.File, d.EndLine, d.EndColumn)}
		result := sarifResult{
			Rule: d.ID, Index: index[d.ID], Level: sarifLevel(d.Severity), Message: sarifText{d.Text()},
			Locations: []sarifLocation{{sarifPhysical{sarifFile(r.Dir, d.File), region}}},
		}
		if d.Fix != nil {
			result.Fixes = []sarifFix{sarifFixOf(r.Dir, d.Fix)}
		}
		run.Results = append(run.Results, result)
	}
	return result.WriteJSON(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func (r Report) invocation() sarifInvocation {
	out := sarifInvocation{Successful: len(r.Broken) == 0}
	for _, err := range r.Broken {
		out.Notifications = append(out.Notifications, sarifNotification{"error", sarifText{err.Error()}})
	}
	return out
}

// utf16Columns turns columns in bytes, as Go counts them, into those of
// UTF-16 units, as SARIF and its viewers do. It keeps the lines of
// the files that were read.
type utf16Columns map[string][]string

// of leaves the column as it is where the file cannot be read: most lines are
// ASCII up to the finding.
func (c utf16Columns) of(file string, line, column int) int {
	lines, read := c[file]
	if !read {
		if text, err := os.ReadFile(file); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		c[file] = lines
	}
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
		return column
	}
	units := 1
	for _, r := range lines[line-1][:column-1] {
		units += max(1, utf16.RuneLen(r))
	}
	return units
}

// Text is the message with its next action, as one sentence.
func (d Diagnostic) Text() string {
	if d.Action == "" {
		return d.Message
	}
	return d.Message + "; " + d.Action
}

func sarifLevel(s finding.Severity) string {
	switch s {
	case finding.Severe:
		return "error"
	case finding.Warning:
		return "warning"
	}
	return "note"
}

func sarifFile(root, file string) sarifArtifact {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return sarifArtifact{(&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath(), sarifRoot}
	}
	return sarifArtifact{URI: fileURI(file)}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: strings.TrimSuffix(path, "/")}).String()
}

func sarifFixOf(root string, fix *SuggestedFix) sarifFix {
	out := sarifFix{Description: sarifText{fix.Message}}
	for _, e := range fix.Edits {
		r := sarifReplacement{Deleted: sarifBytes{e.Start, e.End - e.Start}}
		if e.New != "" {
			r.Inserted = &sarifText{e.New}
		}
		out.Changes = append(out.Changes, sarifChange{sarifFile(root, e.File), []sarifReplacement{r}})
	}
	return out
}
