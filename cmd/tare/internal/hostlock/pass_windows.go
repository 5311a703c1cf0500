package hostlock

import "os/exec"

// Windows gives a lock back when the process that took it ends.
func (h *Held) pass(*exec.Cmd) (func(), error) { return func() {}, nil }
