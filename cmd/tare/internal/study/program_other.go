//go:build !linux || portable

package study

import (
	"context"
	"os/exec"

	"github.com/tarebench/tare/cmd/tare/internal/process"
)

// aside runs an untimed command and returns its standard error. The peak of
// its memory is not known here.
func aside(ctx context.Context, cmd *exec.Cmd, cpus []int) (peak float64, words string, err error) {
	var out process.Output
	cmd.Stderr = &out
	if err = process.OnProcessors(cpus, cmd.Start); err == nil {
		err = cmd.Wait()
	}
	_, err = exitOf(ctx, cmd, err)
	return 0, out.String(), err
}
