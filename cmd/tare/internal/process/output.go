package process

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// LongestArgument is the most bytes of an argument of a process on Linux.
const LongestArgument = 128 << 10

// Output is what a program prints, which may have no end: the first and the last bytes.
type Output struct {
	// Most is the number of bytes at either end. 0 is 4 MiB.
	Most int

	mu    sync.Mutex
	first []byte
	last  []byte
	lost  int
}

func (o *Output) most() int { return cmp.Or(o.Most, 4<<20) }

// Write never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest, most := p, o.most()
	if room := most - len(o.first); room > 0 {
		n := min(room, len(rest))
		o.first = append(o.first, rest[:n]...)
		rest = rest[n:]
	}
	o.last = append(o.last, rest...)
	if over := len(o.last) - most; over > most {
		o.lost += over
		o.last = append(o.last[:0], o.last[over:]...)
	}
	return len(p), nil
}

// String returns both ends of the output, with the number of bytes left out between
// them.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	last, lost := o.last, o.lost
	if over := len(last) - o.most(); over > 0 {
		last, lost = last[over:], lost+over
	}
	if lost > 0 {
		return fmt.Sprintf("%s\n… %d bytes omitted …\n%s", o.first, lost, last)
	}
	return string(o.first) + string(last)
}

// Text runs a command of [Command] to its end, and returns what it prints. It ends the
// processes that the command started.
func Text(cmd *exec.Cmd) (string, error) {
	var out Output
	cmd.Stdout, cmd.Stderr = &out, &out
	err := Ended(cmd.Run())
	Kill(cmd)
	return out.String(), err
}

// Within bounds the time of a command by -timeout. 0 has no bound.
func Within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no end within %s (-timeout)", timeout))
}
