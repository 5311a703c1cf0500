package report

import (
	"path/filepath"
	"slices"
)

// MadeBy returns the command that made the study or the document.
func (d Document) MadeBy() []string {
	command := slices.Clone(d.Command)
	if d.Recording != nil && len(d.Recording.Study.Command) > 0 {
		command = slices.Clone(d.Recording.Study.Command)
	}
	if len(command) > 0 {
		command[0] = filepath.Base(command[0]) // omit the path of the tare binary
	}
	return command
}

// Folder returns the directory of the study, or an empty string.
func (d Document) Folder() string {
	switch {
	case d.Comparison != nil:
		return d.Comparison.Folder
	case d.Run != nil:
		return d.Run.Folder
	}
	return ""
}
