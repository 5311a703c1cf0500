package process

import "os/exec"

// Apart gives a command a session of its own. The kernel shares processor time
// among sessions (autogroups): else a link that runs at the same time would take from what
// we get, and so from how soon we are awake when a worker has something to say.
func Apart(cmd *exec.Cmd) {
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setpgid = true, false // the head of a session is that of a group
}
