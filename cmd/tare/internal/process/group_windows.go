package process

import (
	"os/exec"
	"syscall"
	"unsafe"
)

// Windows has no process groups that can be killed, and a job object takes only the
// children that start after its process is in it. So the descendants are found when
// they are killed. A process number is soon used again: a descendant is younger than
// its parent.

const (
	terminate    = 0x1    // PROCESS_TERMINATE
	queryLimited = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
)

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error {
	parents := parents()
	if err := cmd.Process.Kill(); err != nil {
		return err
	}
	killChildren(parents, uint32(cmd.Process.Pid))
	return nil
}

// killChildren kills the descendants of a process.
func killChildren(parents map[uint32]uint32, parent uint32) {
	handle, born := open(parent)
	defer syscall.CloseHandle(handle)
	for pid, of := range parents {
		if of != parent || pid == parent {
			continue
		}
		child, since := open(pid)
		if since > born && born > 0 {
			_ = syscall.TerminateProcess(child, 1)
			killChildren(parents, pid)
		}
		syscall.CloseHandle(child)
	}
}

// open opens a process to kill it and returns when it began, or 0.
func open(pid uint32) (syscall.Handle, int64) {
	handle, err := syscall.OpenProcess(terminate|queryLimited, false, pid)
	if err != nil {
		return syscall.InvalidHandle, 0
	}
	var began, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(handle, &began, &ended, &kernel, &user) != nil {
		return handle, 0
	}
	return handle, began.Nanoseconds()
}

// parents maps the processes of the machine to their parents.
func parents() map[uint32]uint32 {
	parents := make(map[uint32]uint32)
	snapshot, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return parents
	}
	defer syscall.CloseHandle(snapshot)
	entry := syscall.ProcessEntry32{Size: uint32(unsafe.Sizeof(syscall.ProcessEntry32{}))}
	for err = syscall.Process32First(snapshot, &entry); err == nil; err = syscall.Process32Next(snapshot, &entry) {
		parents[entry.ProcessID] = entry.ParentProcessID
	}
	return parents
}

// Dump ends a program that was started. It cannot print its goroutines here.
func Dump(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// Guard runs a command with run, which starts it with start.
func Guard(cmd *exec.Cmd, run func(start func() error) error) error { return run(cmd.Start) }
