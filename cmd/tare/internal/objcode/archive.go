package objcode

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

type archive struct {
	objects []*object
	// foreign lists the members that are not Go objects (compiled C), in order.
	foreign [][]byte
	// header is the first line of the Go objects: system, architecture, Go
	// version and experiments.
	header string
}

const (
	archiveMagic = "!<arch>\n"
	entryHeader  = 60
)

// readArchive reads a package archive as the linker does. It skips members
// without the name of an object.
func readArchive(path string) (*archive, error) {
	data, err := file.ReadNamed(path)
	if err != nil {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	if !bytes.HasPrefix(data, []byte(archiveMagic)) {
		return nil, fmt.Errorf("read archive: %s is not an archive", path)
	}
	a := new(archive)
	for rest := data[len(archiveMagic):]; len(rest) > 0; {
		if len(rest) < entryHeader {
			return nil, fmt.Errorf("read archive: %s is cut short", path)
		}
		name := strings.TrimRight(string(rest[:16]), " ")
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || entryHeader+size > len(rest) {
			return nil, fmt.Errorf("read archive: %s has a member of unknown size", path)
		}
		member := rest[entryHeader : entryHeader+size]
		rest = rest[min(len(rest), entryHeader+size+size&1):]
		if err := a.add(name, member); err != nil {
			return nil, fmt.Errorf("read archive: %s(%s): %w", path, name, err)
		}
	}
	return a, nil
}

func (a *archive) equal(b *archive) bool {
	return a.header == b.header && slices.EqualFunc(a.foreign, b.foreign, bytes.Equal) &&
		slices.EqualFunc(a.objects, b.objects, func(o, p *object) bool { return bytes.Equal(o.b, p.b) })
}

func (a *archive) add(name string, member []byte) error {
	if name == "__.PKGDEF" {
		return nil
	}
	// A name of 16 bytes may have lost its suffix.
	if len(name) < 16 && !strings.HasSuffix(name, ".o") && !strings.HasSuffix(name, ".syso") {
		return nil
	}
	if !bytes.HasPrefix(member, []byte("go object ")) {
		a.foreign = append(a.foreign, member)
		return nil
	}
	line, body, ok := bytes.Cut(member, []byte("\n"))
	if !ok {
		return errors.New("no header")
	}
	if a.header != "" && a.header != string(line) {
		return errors.New("objects of different toolchains")
	}
	a.header = string(line)
	body, ok = afterExports(body)
	if !ok {
		return errors.New("no object after the header")
	}
	o, err := readObject(body)
	if err != nil {
		return err
	}
	o.quantum = 4
	if slices.Contains(strings.Fields(a.header), "amd64") {
		o.quantum = 1
	}
	a.objects = append(a.objects, o)
	return nil
}

// afterExports skips the export data after the header. They end with an
// exclamation mark on a line, outside a section between two lines of $$.
func afterExports(b []byte) ([]byte, bool) {
	sections := 0
	for start := 0; start < len(b); {
		switch {
		case sections%2 == 0 && bytes.HasPrefix(b[start:], []byte("!\n")):
			return b[start+2:], true
		case bytes.HasPrefix(b[start:], []byte("$$")):
			sections++
		}
		i := bytes.IndexByte(b[start:], '\n')
		if i < 0 {
			return nil, false
		}
		start += i + 1
	}
	return nil, false
}
