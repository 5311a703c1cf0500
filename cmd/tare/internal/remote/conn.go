package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/process"
	"github.com/tarebench/tare/cmd/tare/internal/words"
)

// errLost is wrapped by the errors of a machine that does not answer. Its call
// can go to another machine.
var errLost = errors.New("machine lost")

type conn struct {
	slot  int
	name  string // of the launcher
	cmd   *exec.Cmd
	w     *writer
	in    io.WriteCloser
	hello json.RawMessage
	sent  map[string]bool // files
	words *tail           // on standard error
	next  int             // id of the next call

	replies chan frame
	watch   *time.Timer
	lost    chan struct{} // closed when the machine is lost
	ended   chan struct{} // closed when none of its processes run here
	once    sync.Once
	err     error // the reason, set before lost is closed
}

// dial starts the program through a launcher and waits for its hello. start
// limits that wait, and silence limits every later wait.
func dial(ctx context.Context, slot int, launcher []string, p *program, start, silence time.Duration) (*conn, error) {
	args := append(append([]string(nil), launcher[1:]...), "sh")
	// After its start, it has time to clean up when ctx ends.
	cmd := process.Command(context.Background(), launcher[0], args...)
	c := &conn{
		slot: slot, name: strings.Join(launcher, " "), cmd: cmd, words: new(tail), sent: make(map[string]bool),
		replies: make(chan frame, 1), lost: make(chan struct{}), ended: make(chan struct{}),
	}
	cmd.Stderr = c.words
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.w = in, &writer{w: bufio.NewWriterSize(in, 1<<16)}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name, err)
	}
	c.watch = time.AfterFunc(start, func() { c.lose(fmt.Errorf("nothing came for %s", start)) })
	greeted := context.AfterFunc(ctx, func() {
		in.Close() // a server that has begun removes its directory
		time.AfterFunc(grace, func() { c.lose(ctx.Err()) })
	})
	defer greeted()
	r := bufio.NewReaderSize(out, 1<<16)
	err = p.greet(in, r)
	var f frame
	if err == nil {
		f, err = readFrameBody(r)
	}
	if err == nil && f.Kind != helloFrame {
		err = fmt.Errorf("it begins with %q", f.Kind)
	}
	if err != nil {
		c.lose(err)
		_ = cmd.Wait()
		return nil, c.err
	}
	c.hello = f.body
	go c.listen(r, silence)
	return c, nil
}

func (c *conn) listen(r *bufio.Reader, silence time.Duration) {
	defer close(c.ended)
	defer func() { _ = c.cmd.Wait() }()
	// The limit of the start no longer applies.
	c.watch.Stop()
	c.watch = time.AfterFunc(silence, func() { c.lose(fmt.Errorf("it was silent for %s", silence)) })
	defer c.watch.Stop()
	for {
		f, err := readFrameBody(r)
		if err != nil {
			c.lose(err)
			return
		}
		c.watch.Reset(silence)
		if f.Kind == replyFrame || f.Kind == errorFrame {
			select {
			case c.replies <- f:
			case <-c.lost:
				return
			}
		}
	}
}

func (c *conn) lose(why error) {
	c.once.Do(func() {
		if errors.Is(why, io.EOF) || errors.Is(why, io.ErrUnexpectedEOF) {
			why = errors.New("it ended")
		}
		_ = process.Kill(c.cmd)
		c.in.Close()
		c.err = fmt.Errorf("%w: %s: %w", errLost, c.name, why)
		if said := c.words.String(); said != "" {
			c.err = fmt.Errorf("%w: %s", c.err, words.Printable(said))
		}
		close(c.lost)
	})
}

// end closes the connection, with some time for the server to clean up.
func (c *conn) end() {
	c.in.Close()
	select {
	case <-c.ended:
	case <-time.After(grace):
	}
	c.lose(errors.New("it was closed"))
}

const grace = 3 * time.Second

func (c *conn) call(ctx context.Context, most time.Duration, call any, files []packedFile) (json.RawMessage, error) {
	body, err := json.Marshal(call)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if c.sent[f.Name] {
			continue
		}
		if err := c.w.write(frame{Kind: fileFrame, Name: f.Name, body: f.packed}); err != nil {
			c.lose(err)
			return nil, c.err
		}
		c.sent[f.Name] = true
	}
	c.next++
	if err := c.w.write(frame{Kind: callFrame, ID: c.next, body: body}); err != nil {
		c.lose(err)
		return nil, c.err
	}
	late := time.After(most)
	for {
		select {
		case <-ctx.Done():
			c.lose(ctx.Err())
			return nil, ctx.Err()
		case <-late:
			c.lose(fmt.Errorf("it did not answer in %s", most))
			return nil, c.err
		case <-c.lost:
			return nil, c.err
		case r := <-c.replies:
			switch {
			case r.ID != c.next: // of an abandoned call
			case r.Kind == errorFrame:
				return nil, fmt.Errorf("%s: %s", c.name, words.Printable(r.Words))
			default:
				return r.body, nil
			}
		}
	}
}

type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostTail = 1 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-mostTail):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?"))
}
