package instrument

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"time"

	"github.com/google/pprof/profile"

	"github.com/tarebench/tare/cmd/tare/internal/file"
	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// ProfileKind is a profile of go test, by the name of its flag.
type ProfileKind string

const (
	cpuProfile   ProfileKind = "cpuprofile"
	memProfile   ProfileKind = "memprofile"
	blockProfile ProfileKind = "blockprofile"
	mutexProfile ProfileKind = "mutexprofile"
	// Trace is an execution trace. Traces cannot be merged.
	Trace ProfileKind = "trace"
)

// ProfileKinds contains all kinds, in the order of go help testflag.
var ProfileKinds = []ProfileKind{cpuProfile, memProfile, blockProfile, mutexProfile, Trace}

// CollectProfiles runs the benchmark once for the given time, apart from any
// timing. It writes one file per kind into dir, named prefix + kind +
// extension, and returns the files by kind.
func CollectProfiles(ctx context.Context, t Target, procs int, kinds []ProfileKind, benchtime time.Duration, dir, prefix string) (map[ProfileKind]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("collect profiles: %w", err)
	}
	files := map[ProfileKind]string{}
	var flags []string
	for _, k := range kinds {
		extension := ".pb.gz"
		if k == Trace {
			extension = ".trace"
		}
		files[k] = filepath.Join(dir, prefix+string(k)+extension)
		flags = append(flags, "-test."+string(k)+"="+files[k])
	}
	_, err = Observe(ctx, t, procs, benchtime.String(), flags...)
	return files, err
}

// MergeProfiles adds up the profiles of files into out, for go tool pprof.
func MergeProfiles(files []string, out string) error {
	var all []*profile.Profile
	for _, name := range files {
		p, err := ReadProfileFile(name)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return fmt.Errorf("merge profiles into %s: %w", out, err)
	}
	return result.WriteFile(out, merged.Write)
}

// ReadProfileFile reads a profile that a benchmark wrote.
func ReadProfileFile(name string) (*profile.Profile, error) {
	f, err := file.Open(filepath.Split(name)) // a benchmark may have put something else there
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer f.Close()
	p, err := ReadProfile(f)
	if err != nil {
		return nil, fmt.Errorf("read profile %s: %w", name, err)
	}
	return p, nil
}

// A file of a profile has at most mostBytes, unpacked as well, and at most
// mostMessages: two bytes of a file become a sample or a label of a hundred.
const (
	mostBytes    = 32 << 20
	mostMessages = 4 << 20
)

// ReadProfile reads a profile in the format of pprof.
func ReadProfile(f io.Reader) (*profile.Profile, error) {
	data, err := readAll(f, mostBytes)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, errors.New("the file is empty")
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("it is broken: %w", err)
		}
		if data, err = readAll(z, mostBytes); err != nil {
			return nil, err
		}
	}
	return parseProfile(data)
}

// Frames are the frames of a sample whose function is known, the innermost first. They
// include the frames of inlined functions.
func Frames(s *profile.Sample) iter.Seq[profile.Line] {
	return func(yield func(profile.Line) bool) {
		for _, l := range s.Location {
			for _, frame := range l.Line {
				if frame.Function != nil && !yield(frame) {
					return
				}
			}
		}
	}
}

func readAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("it is broken: %w", err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("it has more than %d MiB: merge fewer profiles", most>>20)
	}
	return data, nil
}

func parseProfile(data []byte) (p *profile.Profile, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("it is no profile of pprof: %v", caught)
		}
	}()
	if messages(data, 2) > mostMessages {
		return nil, fmt.Errorf("it has more than %d samples and labels: merge fewer profiles", mostMessages)
	}
	if p, err = profile.ParseUncompressed(data); err != nil {
		return nil, errors.New("it is no profile of pprof")
	}
	return p, nil
}

// messages counts the fields with a length in a text of protocol buffers, and, down to
// some levels, the fields in these. It stops where the text is broken.
func messages(data []byte, levels int) (n int) {
	number := func() uint64 {
		v, k := binary.Uvarint(data)
		if data = data[max(k, 0):]; k <= 0 {
			data = nil
		}
		return v
	}
	for levels > 0 && len(data) > 0 {
		size := uint64(0)
		switch number() & 7 {
		case 0:
			number()
		case 1:
			size = 8
		case 2:
			size = min(number(), uint64(len(data)))
			n += 1 + messages(data[:size], levels-1)
		case 5:
			size = 4
		default:
			return n
		}
		data = data[min(size, uint64(len(data))):]
	}
	return n
}
