package hostlock

import (
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

// This file implements the perflock daemon's protocol: one byte with the process's
// credentials, then gob-encoded requests, each answered by one value. The lock
// is held while the connection lives.

type perflockRequest struct{ Action any }

type perflockAcquire struct {
	Shared      bool
	NonBlocking bool
	Msg         string
}

type perflockList struct{}

// perflockConn is a connection that has said who asks.
type perflockConn struct {
	net.Conn
	enc *gob.Encoder
	dec *gob.Decoder
}

// perflockCodec encodes requests. gob names the concrete types of an
// interface; the daemon registered them from its package main.
func perflockCodec(c net.Conn) perflockConn {
	gob.RegisterName("main.ActionAcquire", perflockAcquire{})
	gob.RegisterName("main.ActionList", perflockList{})
	return perflockConn{c, gob.NewEncoder(c), gob.NewDecoder(c)}
}

// dialPerflock finds the daemon at a socket. A daemon answers at once, but for
// a lock that another holds.
func dialPerflock(ctx context.Context, socket string) (perflockConn, error) {
	d := net.Dialer{Timeout: time.Second}
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return perflockConn{}, err
	}
	if err := sendCredentials(c); err != nil {
		c.Close()
		return perflockConn{}, err
	}
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	return perflockCodec(c), nil
}

func (c perflockConn) ask(action, answer any) error {
	if err := c.enc.Encode(perflockRequest{action}); err != nil {
		return err
	}
	return c.dec.Decode(answer)
}

// holder names who holds the daemon's lock, and after it who waits; empty for
// nobody.
func (c perflockConn) holder() (string, error) {
	var queue []string
	if err := c.ask(perflockList{}, &queue); err != nil || len(queue) == 0 {
		return "", err
	}
	for i, line := range queue {
		queue[i] = strings.ReplaceAll(line, "\t", " ") // user, since, command
	}
	return clean("perflock: " + strings.Join(queue, "; ")), nil
}

// lockDaemon queues at a running perflock daemon. No daemon, or one that does
// not implement the protocol, is nil without an error: the file lock holds.
func (l Locker) lockDaemon(ctx context.Context, mode Mode, onWait func(string)) (net.Conn, error) {
	if len(l.Perflock) == 0 || underPerflock(machine.Tree{FS: os.DirFS("/")}, os.Getppid()) {
		return nil, nil
	}
	for _, socket := range l.Perflock {
		c, err := dialPerflock(ctx, socket)
		if err != nil {
			continue
		}
		stop := context.AfterFunc(ctx, func() { c.Close() })
		acquired, holder, err := c.acquire(mode, onWait)
		stop()
		switch {
		case err == nil && acquired:
			return c, nil
		case err == nil:
			c.Close()
			return nil, fmt.Errorf("lock machine: %w: %s", ErrHeld, holder)
		}
		c.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("wait for perflock at %s: %w", socket, context.Cause(ctx))
		}
	}
	return nil, nil
}

// acquire takes the lock, at once or in the queue. Where it does not, holder
// is who has it.
func (c perflockConn) acquire(mode Mode, onWait func(string)) (acquired bool, holder string, err error) {
	message := strings.Join(os.Args, " ")
	if err := c.ask(perflockAcquire{NonBlocking: true, Msg: message}, &acquired); err != nil || acquired {
		_ = c.SetDeadline(time.Time{})
		return acquired, "", err
	}
	holder, err = c.holder()
	holder = cmp.Or(holder, "perflock: a process that ended just now")
	if err != nil || mode == Fail {
		return false, holder, err
	}
	onWait(holder)
	_ = c.SetDeadline(time.Time{})
	err = c.ask(perflockAcquire{Msg: message}, &acquired)
	return acquired, holder, err
}

// daemonHolder names who holds the lock of a running perflock daemon.
func (l Locker) daemonHolder() string {
	for _, socket := range l.Perflock {
		c, err := dialPerflock(context.Background(), socket)
		if err != nil {
			continue
		}
		holder, err := c.holder()
		c.Close()
		if err == nil {
			return holder
		}
	}
	return ""
}

// underPerflock is true when an ancestor of this process is perflock, which
// holds the daemon's lock for us: asking again would wait for ourselves.
func underPerflock(t machine.Tree, pid int) bool {
	for range 64 { // deeper than any shell nests, and a bound on loops
		if pid <= 1 {
			return false
		}
		dir := "proc/" + strconv.Itoa(pid)
		if t.Text(dir+"/comm") == "perflock" {
			return true
		}
		parent, ok := t.Fields(dir + "/status")["PPid"]
		if !ok {
			return false
		}
		pid = int(parent)
	}
	return false
}
