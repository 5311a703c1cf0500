//go:build unix

package testing

import "syscall"

func tareProcessUsage(u *tareUsage) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return
	}
	u.user, u.system = r.Utime.Nano(), r.Stime.Nano()
	u.voluntary, u.involuntary = int64(r.Nvcsw), int64(r.Nivcsw)
}
