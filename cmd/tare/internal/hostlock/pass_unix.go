//go:build unix

package hostlock

import (
	"fmt"
	"os"
	"os/exec"
)

func (h *Held) pass(cmd *exec.Cmd) (func(), error) {
	var copies []*os.File
	closeCopies := func() {
		for _, f := range copies {
			f.Close()
		}
	}
	if h.file != nil {
		cmd.ExtraFiles = append(cmd.ExtraFiles, h.file)
	}
	if c, ok := h.daemon.(perflockConn); ok {
		socket, ok := c.Conn.(interface{ File() (*os.File, error) })
		if !ok {
			return closeCopies, nil
		}
		f, err := socket.File()
		if err != nil {
			return closeCopies, fmt.Errorf("copy the lock of perflock: %w", err)
		}
		copies = append(copies, f)
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	return closeCopies, nil
}
