//go:build unix && (!linux || portable)

package board

import "os"

func inMemory(size int64) (*os.File, error) { return nil, errUnsupported }

// turns are a pipe for each side. A byte wakes its worker, which reads its word
// of the board.
type turns []struct{ read, write *os.File }

func newTurns(sides int) (t turns, err error) {
	t = make(turns, sides)
	for side := range t {
		if t[side].read, t[side].write, err = os.Pipe(); err != nil {
			t.close()
			return nil, err
		}
	}
	return t, nil
}

// files are the end to read of the side's own pipe, and the ends to write of the
// others, by side.
func (t turns) files(side int) (ends []*os.File) {
	for i, pipe := range t {
		if i == side {
			ends = append(ends, pipe.read)
		} else {
			ends = append(ends, pipe.write)
		}
	}
	return ends
}

func (t turns) close() {
	for _, pipe := range t {
		pipe.read.Close()
		pipe.write.Close()
	}
}

func (m *Memory) wake(side int) { m.turns[side].write.Write([]byte{0}) }
