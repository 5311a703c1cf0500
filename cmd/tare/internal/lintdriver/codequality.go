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

// writeCodeQuality writes a GitLab Code Quality report, the part of the Code
// Climate format that GitLab reads. Paths are relative to
// the working folder, which has to be the root of the repository. A fingerprint
// holds the check, the file and the message, and no line, so that GitLab knows
// a finding again that moved.
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
func (r Report) writeCodeQuality(w io.Writer) error {
	issues := []object{}
	seen := make(map[string]int)
	for _, d := range r.Findings {
		path := filepath.ToSlash(r.relative(d.File))
		about := d.ID + "\x00" + path + "\x00" + d.Message
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", about, seen[about]))
		seen[about]++
		issues = append(issues, object{
			"description": d.Text(), "check_name": d.ID, "fingerprint": hex.EncodeToString(sum[:]), "severity": codeSeverity(d.Severity),
			"location": object{"path": path, "lines": object{"begin": max(1, d.Line)}},
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
