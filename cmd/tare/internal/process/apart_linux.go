//go:build !portable

package process

import "os/exec"

// Apart gives a command its own session. The kernel divides CPU time among
// sessions (autogroups). In the same session, a link that runs at the same time
// would take CPU time from tare, and tare would wake later when a worker sends
// a message.
func Apart(cmd *exec.Cmd) {
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setpgid = true, false // a session leader also leads a process group
}
