package objcode

import (
	"bytes"
	"slices"
	"strings"
)

// past lists the functions through which Go code opens files or starts
// processes without a note in the test log. A package ends in a point.
var past = []string{
	"syscall.Syscall", "syscall.RawSyscall", "syscall.rawSyscall", "syscall.rawVforkSyscall",
	"syscall.Open", "syscall.Openat", "syscall.Creat", "syscall.Exec", "syscall.ForkExec", "syscall.StartProcess",
	"syscall.Mmap", "syscall.mmap", "syscall.Readlink", "syscall.open", "syscall.openat",
	"os.StartProcess", "os/exec.", "plugin.", "os.startProcess",
	"internal/syscall/unix.Open", "internal/runtime/syscall.Syscall6", "runtime/cgo.",
}

var systemCalls = map[string][][]byte{
	"amd64": {{0x0f, 0x05}, {0x0f, 0x34}, {0xcd, 0x80}},
	"arm64": {{0x01, 0x00, 0x00, 0xd4}},
}

// outside returns the name of the function if it calls the system directly.
// Assembly counts as calling it if the instruction of its architecture is not
// known.
func outside(p *Program, at location, s symbol) string {
	if s.kind() != kindText {
		return ""
	}
	name := at.object.name(at.index)
	if at.object.flags&objectFromAssembly != 0 {
		calls, known := systemCalls[strings.Fields(p.header)[3]]
		code := at.object.data(at.index)
		if !known || slices.ContainsFunc(calls, func(call []byte) bool { return bytes.Contains(code, call) }) {
			return name
		}
	}
	for r := range at.object.relocs(at.index).all() {
		called := p.name(p.target(at.object, r.target()))
		if slices.ContainsFunc(past, func(prefix string) bool { return strings.HasPrefix(called, prefix) }) {
			return name
		}
	}
	return ""
}
