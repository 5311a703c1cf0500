package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/machine"
)

const beat = time.Second

// handler answers a call. files are the paths of the call's files. The path of
// a file stays the same while the server runs.
type handler func(ctx context.Context, call json.RawMessage, file func(name string) string) (any, error)

// serve answers the calls from in on out, one after the other, until in ends.
// hello is its description of the machine. It keeps files in a temporary
// directory, which it removes.
func serve(ctx context.Context, in io.Reader, out io.Writer, hello any, handle handler) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	folder, remove, err := ownFolder()
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	path := func(name string) string { return filepath.Join(folder, filepath.Base(name)) }

	w := &writer{w: bufio.NewWriter(out)}
	words, err := json.Marshal(hello)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	if err := w.write(frame{Kind: helloFrame, body: words}); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	go func() {
		for ctx.Err() == nil && w.write(frame{Kind: beatFrame}) == nil {
			select {
			case <-ctx.Done():
			case <-time.After(beat):
			}
		}
	}()
	calls := make(chan frame)
	go func() { // reading continues during a call, to notice the end of input
		defer cancel()
		defer close(calls)
		receive(ctx, bufio.NewReaderSize(in, 1<<16), path, calls)
	}()
	for c := range calls {
		answer, err := handle(ctx, c.body, path)
		if ctx.Err() != nil {
			return nil
		}
		f := frame{Kind: replyFrame, ID: c.ID}
		if err == nil {
			f.body, err = json.Marshal(answer)
		}
		if err != nil {
			f = frame{Kind: errorFrame, ID: c.ID, Words: err.Error()}
		}
		if err := w.write(f); err != nil {
			return fmt.Errorf("serve: %w", err)
		}
	}
	return nil
}

// ownFolder makes a temporary directory that is locked while the server lives,
// and removes the directories of servers that were killed.
func ownFolder() (folder string, remove func() error, err error) {
	const pattern = "tare-worker-*"
	others, _ := filepath.Glob(filepath.Join(os.TempDir(), pattern)) // the pattern is valid
	for _, other := range others {
		f, err := os.OpenFile(filepath.Join(other, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue // another user's, or not finished
		}
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > time.Minute && machine.TryLock(f) == nil {
			_ = os.RemoveAll(other) // the next server removes the rest
		}
		f.Close()
	}
	if folder, err = os.MkdirTemp("", pattern); err != nil {
		return "", nil, err
	}
	lock, err := machine.LockIn(folder)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(folder))
	}
	return folder, func() error {
		lock.Close()
		return os.RemoveAll(folder)
	}, nil
}

// receive keeps files and forwards calls, until the input ends or is broken.
func receive(ctx context.Context, in *bufio.Reader, path func(string) string, calls chan<- frame) {
	for {
		f, err := readFrameBody(in)
		if err != nil {
			return
		}
		switch f.Kind {
		case fileFrame:
			if err := unpack(path(f.Name), f.body); err != nil {
				return // the call that needs it would fail, and the caller notices the end
			}
		case callFrame:
			select {
			case calls <- f:
			case <-ctx.Done():
				return
			}
		}
	}
}
