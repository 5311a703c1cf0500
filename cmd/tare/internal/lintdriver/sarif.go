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

// sarifRoot is the name under which relative paths are resolved.
const sarifRoot = "SRCROOT"

// object is a JSON object.
type object map[string]any

func sarifText(text string) object { return object{"text": text} }

// writeSARIF writes the findings for code hosts: the parts of SARIF 2.1.0 that
// these read. Version is the version of tare.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
func (r Report) writeSARIF(w io.Writer, checks []lint.Check, version string) error {
	rules, index := []object{}, make(map[string]int)
	for i, c := range checks {
		index[c.Name] = i
		rules = append(rules, object{
			"id": c.Name, "shortDescription": sarifText(c.Title()), "fullDescription": sarifText(c.Doc), "helpUri": c.URL,
			"defaultConfiguration": object{"enabled": true, "level": sarifLevel(c.Severity)},
		})
	}
	results, columns := []object{}, make(utf16Columns)
	for _, d := range r.Findings {
		one := object{
			"ruleId": d.ID, "ruleIndex": index[d.ID], "level": sarifLevel(d.Severity), "message": sarifText(d.Text()),
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": sarifFile(r.Dir, d.File),
				"region": object{
					"startLine": d.Line, "startColumn": columns.of(d.File, d.Line, d.Column),
					"endLine": d.EndLine, "endColumn": columns.of(d.File, d.EndLine, d.EndColumn),
				},
			}}},
		}
		if d.Fix != nil {
			one["fixes"] = []object{sarifFix(r.Dir, d.Fix)}
		}
		results = append(results, one)
	}
	failures := []object{}
	for _, err := range r.Broken {
		failures = append(failures, object{"level": "error", "message": sarifText(err.Error())})
	}
	driver := object{"name": "tare", "informationUri": "https://github.com/tarebench/tare", "rules": rules}
	if version != "" {
		driver["version"] = version
	}
	return result.WriteJSON(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":               object{"driver": driver},
			"columnKind":         "utf16CodeUnits",
			"originalUriBaseIds": object{sarifRoot: object{"uri": fileURI(r.Dir) + "/"}},
			"results":            results,
			"invocations":        []object{{"executionSuccessful": len(r.Broken) == 0, "toolExecutionNotifications": failures}},
		}},
	})
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

func sarifFile(root, file string) object {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return object{"uri": (&url.URL{Path: filepath.ToSlash(rel)}).EscapedPath(), "uriBaseId": sarifRoot}
	}
	return object{"uri": fileURI(file)}
}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: strings.TrimSuffix(path, "/")}).String()
}

func sarifFix(root string, fix *SuggestedFix) object {
	changes := []object{}
	for _, e := range fix.Edits {
		replacement := object{"deletedRegion": object{"byteOffset": e.Start, "byteLength": e.End - e.Start}}
		if e.New != "" {
			replacement["insertedContent"] = sarifText(e.New)
		}
		changes = append(changes, object{"artifactLocation": sarifFile(root, e.File), "replacements": []object{replacement}})
	}
	return object{"description": sarifText(fix.Message), "artifactChanges": changes}
}
