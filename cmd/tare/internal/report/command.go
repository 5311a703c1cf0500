package report

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/pattern"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// MadeBy is the command that made the study, or the document.
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

// Folder is the directory of the study; empty for none.
func (d Document) Folder() string {
	switch {
	case d.Comparison != nil:
		return d.Comparison.Folder
	case d.Run != nil:
		return d.Run.Folder
	}
	return ""
}

// Again is the command that measures one benchmark again, with -bench for it
// alone. It is nil if no command measured the document.
func (d Document) Again(k result.Key) []string {
	if d.Recording == nil || len(d.MadeBy()) < 2 {
		return nil
	}
	command := d.MadeBy()
	out := slices.Clone(command[:2])
	out = append(out, "-bench", pattern.Exact("Benchmark"+k.Name))
	for i := 2; i < len(command); i++ {
		arg := command[i]
		if arg == "--" {
			out = append(out, command[i:]...)
			break
		}
		name := strings.TrimLeft(arg, "-")
		if strings.HasPrefix(arg, "-") && name == "bench" {
			i++
			continue
		}
		if strings.HasPrefix(arg, "-") && strings.HasPrefix(name, "bench=") {
			continue
		}
		out = append(out, arg)
	}
	return out
}
