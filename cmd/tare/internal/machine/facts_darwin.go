package machine

import (
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

func hostFacts(m *result.Machine) {
	text := func(name string) string {
		s, _ := unix.Sysctl(name)
		return s
	}
	number := func(name string) (uint64, bool) {
		if n, err := unix.SysctlUint64(name); err == nil {
			return n, true
		}
		n, err := unix.SysctlUint32(name)
		return uint64(n), err == nil
	}
	power, _ := exec.Command("pmset", "-g").Output()
	appleFacts(m, text, number, string(power))
}
