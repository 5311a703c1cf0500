package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// Options selects the machines to use.
type Options struct {
	// Launchers are commands, with their arguments, that run a command given
	// after them with its standard input and output.
	Launchers [][]string
	// Program is the executable file to run there, with Args. If it is empty, it
	// is this one.
	Program string
	Args    string
	// Start is how long a machine may take to begin, including a queue. Silence
	// is how long it may write nothing. Pause is the first wait before another
	// try with a lost machine. 0 selects a default.
	Start, Silence, Pause time.Duration
	// Notice reports machines that are lost; nil ignores it.
	Notice func(text string)
}

// Pool is a set of machines that take calls.
type Pool struct {
	o       Options
	program *program
	idle    chan *conn
	ctx     context.Context
	cancel  context.CancelFunc
	keepers sync.WaitGroup

	mu    sync.Mutex
	alive int           // launchers that are not given up
	none  chan struct{} // closed when all are given up
	why   error         // the error of the last one given up
	conns map[*conn]bool
	sent  int64 // bytes, to connections that have ended
}

const (
	// fewTries is how often a machine that never answered is started before it
	// is given up. mostTries is the same in a row for a machine that did answer:
	// it may be restarting.
	fewTries, mostTries = 3, 8
	// mostLosses is how many machines a call may lose. After that, the call
	// itself may crash them.
	mostLosses = 3
)

// NewPool starts to connect to all machines and returns at once. The caller
// closes the pool.
func NewPool(o Options) (*Pool, error) {
	if len(o.Launchers) == 0 {
		return nil, errors.New("start machines: no launcher is given")
	}
	for _, l := range o.Launchers {
		if len(l) == 0 {
			return nil, errors.New("start machines: a launcher is empty")
		}
	}
	for d, otherwise := range map[*time.Duration]time.Duration{&o.Start: 10 * time.Minute, &o.Silence: 30 * time.Second, &o.Pause: time.Second} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if o.Program == "" {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("start machines: find tare itself: %w", err)
		}
		o.Program = path
	}
	program, err := readProgram(o.Program, runtime.GOOS, runtime.GOARCH, o.Args)
	if err != nil {
		return nil, fmt.Errorf("start machines: %w", err)
	}
	p := &Pool{o: o, program: program, idle: make(chan *conn, len(o.Launchers)), alive: len(o.Launchers), none: make(chan struct{}), conns: make(map[*conn]bool)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	for slot := range o.Launchers {
		p.keepers.Go(func() { p.keep(slot) })
	}
	return p, nil
}

// keep connects to a machine, and again when it is lost, until the pool is
// closed or the machine is given up.
func (p *Pool) keep(slot int) {
	pause, most := p.o.Pause, fewTries
	for tries := 1; p.ctx.Err() == nil; tries++ {
		c, err := dial(p.ctx, slot, p.o.Launchers[slot], p.program, p.o.Start, p.o.Silence)
		if err == nil {
			calls := p.use(c)
			err = c.err
			if calls > 0 { // it works: the cause of the loss may be over
				tries, pause, most = 0, p.o.Pause, mostTries
			}
		}
		if p.ctx.Err() != nil {
			return
		}
		if tries >= most {
			p.giveUp(err)
			return
		}
		p.notice("%v; tried again in %s", err, pause)
		select {
		case <-time.After(pause):
		case <-p.ctx.Done():
		}
		pause = min(2*pause, 30*time.Second)
	}
}

// use offers a connection until it is lost, and returns its number of calls.
func (p *Pool) use(c *conn) int {
	p.mu.Lock()
	p.conns[c] = true
	p.mu.Unlock()
	p.offer(c)
	select {
	case <-c.lost:
	case <-p.ctx.Done():
		c.end()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	p.sent += c.w.written()
	return c.answered()
}

func (p *Pool) giveUp(err error) {
	p.notice("%v; it is not tried again", err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.why = err
	if p.alive--; p.alive == 0 {
		close(p.none)
	}
}

func (p *Pool) notice(format string, args ...any) {
	if p.o.Notice != nil {
		p.o.Notice(fmt.Sprintf(format, args...))
	}
}

// Reply is the answer of a machine.
type Reply struct {
	// Slot is the index of the launcher, Hello the machine's description of
	// itself.
	Slot  int
	Hello json.RawMessage
	Body  json.RawMessage
}

// Do gives a call to a free machine, and to another one if that machine is
// lost. When a machine is free, prepare makes the call and its files.
func (p *Pool) Do(ctx context.Context, prepare func(context.Context) (any, []File, error)) (Reply, error) {
	for losses := 0; ; {
		c, err := p.free(ctx)
		if err != nil {
			return Reply{}, err
		}
		call, files, err := prepare(ctx)
		if err != nil {
			p.offer(c)
			return Reply{}, err
		}
		body, err := c.call(ctx, call, files)
		if errors.Is(err, errLost) {
			if losses++; losses >= mostLosses {
				return Reply{}, fmt.Errorf("it was lost on %d machines, the last time: %w", losses, err)
			}
			continue
		}
		p.offer(c)
		return Reply{Slot: c.slot, Hello: c.hello, Body: body}, err
	}
}

// offer puts a machine among those without a call, unless it is lost.
func (p *Pool) offer(c *conn) {
	select {
	case p.idle <- c:
	case <-c.lost:
	case <-p.ctx.Done():
	}
}

// free waits for a machine without a call.
func (p *Pool) free(ctx context.Context) (*conn, error) {
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

// Sent is the number of bytes that were sent to all machines, without programs.
func (p *Pool) Sent() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.sent
	for c := range p.conns {
		n += c.w.written()
	}
	return n
}

// Close ends all machines.
func (p *Pool) Close() {
	p.cancel()
	p.keepers.Wait()
}
