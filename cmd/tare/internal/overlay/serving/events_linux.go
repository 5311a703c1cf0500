package testing

import "syscall"

// tareReceive takes that many descriptors from a socket, one a message.
func tareReceive(socket, count int) (fds []int) {
	var one [1]byte
	control := make([]byte, syscall.CmsgSpace(4))
	for len(fds) < count {
		_, n, _, _, err := syscall.Recvmsg(socket, one[:], control, syscall.MSG_CMSG_CLOEXEC)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			break
		}
		parts, err := syscall.ParseSocketControlMessage(control[:n])
		if err != nil || len(parts) != 1 {
			break
		}
		rights, err := syscall.ParseUnixRights(&parts[0])
		if err != nil || len(rights) != 1 {
			break
		}
		fds = append(fds, rights[0])
	}
	return fds
}

func tareThread() int { return syscall.Gettid() }

// tareIoctl does not enter the scheduler: the request does not wait.
func tareIoctl(fd int, request uintptr) bool {
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), request, 0)
	return errno == 0
}
