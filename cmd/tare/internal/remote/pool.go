package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type poolOptions struct {
	// Launchers are commands, with their arguments, that run a command given
	// after them with its standard input and output.
	Launchers [][]string
	// Args are the arguments of this program on the other machine.
	Args string
	// Silence is how long a machine may write nothing, or 0 for half a minute. A
	// machine that has not started may be in a queue, and has twenty times as
	// long.
	Silence time.Duration
	// Notice reports machines that are lost.
	Notice func(text string)
}

type pool struct {
	o       poolOptions
	program *program
	idle    chan *conn
	ctx     context.Context
	cancel  context.CancelFunc
	keepers sync.WaitGroup

	mu    sync.Mutex
	alive int           // launchers still in use
	none  chan struct{} // closed when no launcher is in use
	why   error         // the error of the last abandoned one
}

// mostTries is how often in a row a machine may fail to start, and how many
// machines a call may lose: it may crash them.
const mostTries = 3

// newPool starts to connect to all machines and returns at once. The caller
// closes the pool.
func newPool(o poolOptions) (*pool, error) {
	o.Silence = cmp.Or(o.Silence, 30*time.Second)
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start machines: find tare itself: %w", err)
	}
	program, err := readProgram(path, runtime.GOOS, runtime.GOARCH, o.Args)
	if err != nil {
		return nil, fmt.Errorf("start machines: %w", err)
	}
	p := &pool{o: o, program: program, idle: make(chan *conn, len(o.Launchers)), alive: len(o.Launchers), none: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	for slot := range o.Launchers {
		p.keepers.Go(func() { p.keep(slot) })
	}
	return p, nil
}

// firstPause is the pause before a lost machine is started again. It may be
// restarting, so that the next pause is four times as long.
var firstPause = 2 * time.Second

// keep connects to a machine, and again after a loss, until the pool is
// closed or the machine has failed too often.
func (p *pool) keep(slot int) {
	pause := firstPause
	for tries := 1; p.ctx.Err() == nil; tries++ {
		begun := time.Now()
		c, err := dial(p.ctx, slot, p.o.Launchers[slot], p.program, 20*p.o.Silence, p.o.Silence)
		if err == nil {
			p.offer(c)
			select {
			case <-c.lost:
				err = c.err
			case <-p.ctx.Done():
				c.end()
			}
			if time.Since(begun) > time.Minute { // it worked
				tries, pause = 0, firstPause
			}
		}
		if p.ctx.Err() != nil {
			return
		}
		if tries >= mostTries {
			p.giveUp(err)
			return
		}
		p.o.Notice(fmt.Sprintf("%v (next try in %s)", err, pause))
		select {
		case <-time.After(pause):
		case <-p.ctx.Done():
		}
		pause *= 4
	}
}

func (p *pool) giveUp(err error) {
	p.o.Notice(fmt.Sprintf("%v (no further try)", err))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.why = err
	if p.alive--; p.alive == 0 {
		close(p.none)
	}
}

type reply struct {
	// Slot is the index of the launcher. Hello is the machine's description of
	// itself.
	Slot  int
	Hello json.RawMessage
	Body  json.RawMessage
}

// Do gives a call to a free machine, and to another one if that machine is lost or
// does not answer in this time. When a machine is free, prepare makes the call and
// its files.
func (p *pool) Do(ctx context.Context, most time.Duration, prepare func(context.Context) (any, []packedFile, error)) (reply, error) {
	for losses := 0; ; {
		c, err := p.free(ctx)
		if err != nil {
			return reply{}, err
		}
		call, files, err := prepare(ctx)
		if err != nil {
			p.offer(c)
			return reply{}, err
		}
		body, err := c.call(ctx, most, call, files)
		if errors.Is(err, errLost) {
			if losses++; losses >= mostTries {
				return reply{}, fmt.Errorf("it was lost on %d machines, the last time: %w", losses, err)
			}
			continue
		}
		p.offer(c)
		return reply{Slot: c.slot, Hello: c.hello, Body: body}, err
	}
}

// offer adds a machine to the free machines, unless it is lost.
func (p *pool) offer(c *conn) {
	select {
	case p.idle <- c:
	case <-c.lost:
	case <-p.ctx.Done():
	}
}

func (p *pool) free(ctx context.Context) (*conn, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.none:
			p.mu.Lock()
			defer p.mu.Unlock()
			return nil, fmt.Errorf("no machine is left: %w", p.why)
		case c := <-p.idle:
			select {
			case <-c.lost:
			default:
				return c, nil
			}
		}
	}
}

// Close ends all machines.
func (p *pool) Close() {
	p.cancel()
	p.keepers.Wait()
}
