package lintdriver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/result"
	"github.com/tarebench/tare/internal/finding"
)

// codeIssue is an issue of a GitLab Code Quality report, the part of the Code
// Climate format that GitLab reads.
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
type codeIssue struct {
	Description string       `json:"description"`
	Check       string       `json:"check_name"`
	Fingerprint string       `json:"fingerprint"`
	Severity    string       `json:"severity"`
	Location    codeLocation `json:"location"`
}

type codeLocation struct {
	Path  string    `json:"path"`
	Lines codeLines `json:"lines"`
}

type codeLines struct {
	Begin int `json:"begin"`
}

// writeCodeQuality writes a GitLab Code Quality report. Paths are relative to
// the working folder, which has to be the root of the repository. A fingerprint
// holds the check, the file and the message, and no line, so that GitLab knows
// a finding again that moved.
func (r Report) writeCodeQuality(w io.Writer) error {
	issues := []codeIssue{}
	seen := make(map[string]int)
	for _, d := range r.Findings {
		path := filepath.ToSlash(r.relative(d.File))
		about := d.ID + "\x00" + path + "\x00" + d.Message
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", about, seen[about]))
		seen[about]++
		issues = append(issues, codeIssue{
			Description: d.Text(), Check: d.ID, Fingerprint: hex.EncodeToString(sum[:]), Severity: codeSeverity(d.Severity),
			Location: codeLocation{path, codeLines{max(1, d.Line)}},
		})
	}
	return result.WriteJSON(w, issues)
}

func codeSeverity(s finding.Severity) string {
	switch s {
	case finding.Severe:
		return "major"
	case finding.Warning:
		return "minor"
	}
	return "info"
}
