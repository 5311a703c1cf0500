package worker

import (
	"os"
	"syscall"
)

// eventSocket is a pair of sockets that can carry descriptors.
func eventSocket() (ours, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "events"), os.NewFile(uintptr(fds[1]), "events"), nil
}

func sendDescriptor(socket *os.File, fd int) error {
	err := syscall.Sendmsg(int(socket.Fd()), []byte{0}, syscall.UnixRights(fd), nil, syscall.MSG_NOSIGNAL)
	return os.NewSyscallError("sendmsg", err)
}
