//go:build unix

// The line to the parent: one message per line, in both directions.

package testing

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tareParent is the line to the commanding process. It is nil in a plain run.
var tareParent = tareConnect()

type tareLine struct {
	fd  int // of in
	in  *bufio.Reader
	out *os.File
	buf []byte
	// held are messages that wait to be sent.
	held []byte
	// cpus are the CPUs to move to before the first benchmark is announced.
	// pinned is set when the move is done.
	cpus   string
	pinned bool
	// counts is set in a process that counts.
	counts bool
}

// settle moves the process to its CPUs, once. With all CPUs, the start of the
// runtime, a first iteration and a collection take half the time, so they come
// before.
func (l *tareLine) settle() {
	if l.cpus != "" && !l.pinned {
		l.pinned = tarePin(l.cpus)
	}
}

// tareProtocol is the version of the messages. The parent refuses another
// version.
const tareProtocol = 2

// tareConnect takes the descriptors that TARE_WORKER names and the options of
// TARE_WORKER_OPTIONS. It hides all variables that begin with these names from
// the benchmark and its children.
func tareConnect() *tareLine {
	v, ok := os.LookupEnv("TARE_WORKER")
	if !ok {
		return nil
	}
	options := os.Getenv("TARE_WORKER_OPTIONS")
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "TARE_WORKER") {
			os.Unsetenv(name)
		}
	}
	var fds [2]int
	for i, f := range strings.Split(v, ",") {
		fd, err := strconv.Atoi(f)
		if err != nil || i == len(fds) {
			return nil
		}
		syscall.CloseOnExec(fd)
		fds[i] = fd
	}
	if fds[1] == 0 {
		return nil
	}
	// The runtime opens its poller at the first timer. Here it gets descriptors
	// after 3 and 4, which the parent has taken. A benchmark that closes those
	// two does not end the process.
	time.Sleep(time.Nanosecond)
	l := &tareLine{
		fd: fds[0], in: bufio.NewReader(os.NewFile(uintptr(fds[0]), "tare commands")),
		out: os.NewFile(uintptr(fds[1]), "tare results"),
		buf: make([]byte, 0, 4096), held: make([]byte, 0, 4096),
	}
	hello := append(l.buf, "hello protocol="...)
	hello = strconv.AppendInt(hello, tareProtocol, 10)
	for _, o := range strings.Fields(options) {
		name, value, _ := strings.Cut(o, "=")
		switch name {
		case "board":
			if tareBatch.open(value) {
				hello = append(append(hello, ' '), o...)
			}
		case "cpus":
			l.cpus = value
		case "counts":
			l.counts = true
		}
	}
	l.held = append(append(l.held, hello...), '\n')
	return l
}

// send sends the message in buf. If the next command has arrived already, the
// message can wait: waking the parent would disturb the next slice.
func (l *tareLine) send(canWait bool) {
	l.buf = append(l.buf, '\n')
	l.held = append(l.held, l.buf...)
	if canWait && l.in.Buffered() > 0 {
		return
	}
	if _, err := l.out.Write(l.held); err != nil {
		os.Exit(3) // the parent is gone
	}
	l.held = l.held[:0]
}

// tareCommand waits for the next command. If ok is false, the command is not
// for a slice: a batch begins on the board.
func (b *B) tareCommand() (o tareOrder, ok bool) {
	if tareParent.in.Buffered() == 0 {
		tareAwait(tareParent.fd)
	}
	text, err := tareParent.in.ReadString('\n')
	if err != nil {
		os.Exit(3) // the parent is gone
	}
	word, rest, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
	switch word {
	case "batch":
		tareBatch.begin()
		return o, false
	case "slice":
		for _, f := range strings.Fields(rest) {
			name, value, _ := strings.Cut(f, "=")
			v, err := strconv.ParseInt(value, 10, 64)
			if err != nil || v < 0 {
				return tareOrder{}, true
			}
			switch name {
			case "n":
				o.n = v
			case "warm":
				o.warm = v
			case "reading":
				o.reading = uint32(v)
			}
		}
	}
	return o, true
}
