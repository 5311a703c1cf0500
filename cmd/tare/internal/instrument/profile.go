package instrument

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
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
		p, err := readProfile(name)
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

func readProfile(name string) (*profile.Profile, error) {
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

// A file of a profile has at most mostBytes, and as text at most mostText.
const (
	mostBytes = 64 << 20
	mostText  = 256 << 20
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
		if data, err = readAll(z, mostText); err != nil {
			return nil, err
		}
	}
	return parseProfile(data)
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
	if p, err = profile.ParseUncompressed(data); err != nil {
		return nil, errors.New("it is no profile of pprof")
	}
	return p, nil
}
