package remote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// frame is a line, followed by Size bytes of a body.
type frame struct {
	Kind string `json:"tare"`
	// ID pairs a reply with its call.
	ID int `json:"id,omitempty"`
	// Name is the name of a file.
	Name string `json:"name,omitempty"`
	// Words is the text of an error.
	Words string `json:"words,omitempty"`
	Size  int64  `json:"size,omitempty"`
	body  []byte
}

const (
	helloFrame = "hello" // from a server when it is ready
	beatFrame  = "beat"  // from a live server
	fileFrame  = "file"  // for a server to keep
	callFrame  = "call"
	replyFrame = "reply"
	errorFrame = "error" // instead of a reply
)

// mostLine and mostBody limit how much tare reads from a broken peer: a line, and a
// body by its kind. A reply is a block.
const mostLine = 64 << 10

var mostBody = map[string]int64{helloFrame: 1 << 20, fileFrame: 1 << 30, callFrame: 64 << 20, replyFrame: 16 << 20}

// readFrame reads a line that must be a frame. The body is not read.
func readFrame(r *bufio.Reader) (f frame, err error) {
	line, err := readLine(r)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil || f.Kind == "" || f.Size < 0 {
		return f, fmt.Errorf("%q is not the output of tare", clip(line))
	}
	if most := mostBody[f.Kind]; f.Size > most {
		return f, fmt.Errorf("%q is longer than %d bytes: shorten the blocks with -benchtime, or use the same tare there", clip(line), most)
	}
	return f, nil
}

func readLine(r *bufio.Reader) (string, error) {
	line, err := result.ReadLine(r, mostLine)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

func clip(s string) string { return s[:min(len(s), 80)] }

// readFrameBody reads a frame and its body.
func readFrameBody(r *bufio.Reader) (f frame, err error) {
	if f, err = readFrame(r); err != nil {
		return f, err
	}
	f.body = make([]byte, f.Size)
	_, err = io.ReadFull(r, f.body)
	return f, err
}

type writer struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func (w *writer) write(f frame) error {
	f.Size = int64(len(f.body))
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.w.Write(line)
	w.w.WriteByte('\n')
	w.w.Write(f.body)
	return w.w.Flush()
}
